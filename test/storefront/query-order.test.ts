import { beforeAll, describe, expect, test } from "vitest";
import { queryClaimMilliseconds } from "../../shared/timing.ts";
import { to } from "../integration/fault-proxy.ts";
import { eventsOf, logOf, messagesOf } from "../integration/flow.ts";
import { day, daysLater, hour, minute, timeOf } from "../reconciling/overdue.ts";
import { countQueries } from "./count-queries.ts";
import { type Shop, useShops } from "./shop.ts";
import { created, payInSilence } from "./silent-payment.ts";

const makeShop = useShops();

/** Until the claim of the caller who got no answer is over. */
const passClaim = async (shop: Shop) => (await shop.querier()).advance(queryClaimMilliseconds);

describe("an order that is settled", () => {
  test("is answered from the table alone", async () => {
    const shop = await makeShop();
    const { orderNo, paymentId } = await created(shop);
    await shop.pay(paymentId);
    const queries = countQueries(shop);
    for (const path of [`/orders/${orderNo}`, `/payments/${paymentId}`]) {
      expect(await shop.get(path)).toMatchObject({
        status: 200,
        body: { status: "success", stale: false, statusOrigin: "callback" },
      });
      await passClaim(shop);
    }
    expect(await queries()).toBe(0);
    const { faults } = await shop.querier();
    expect(new Set(faults.calls.map(({ operation }) => operation))).toEqual(new Set(["GetItem"]));
  });

  test("is so with a timeout or a failure only after its last check: until then it may turn", async () => {
    const shop = await makeShop(daysLater);
    const { simulator } = shop;
    const [over, failed] = [await created(shop), await created(shop)];
    simulator.expire(over.paymentId);
    simulator.fail(failed.paymentId);
    simulator.jumpClock(2);
    await simulator.settled();
    await shop.pump();
    const queries = countQueries(shop);
    const bodyOf = async ({ orderNo }: { orderNo: string }) =>
      (await shop.get(`/orders/${orderNo}`)).body;
    const reason = expect.any(String);
    expect(await bodyOf(over)).toMatchObject({ status: "timeout", reason });
    expect(await queries()).toBe(1);
    expect(await bodyOf(failed)).toMatchObject({ status: "failed", reason });
    expect(await queries()).toBe(2);
    const time = timeOf(shop);
    time.moveTo(time.now() + day + minute);
    expect(await bodyOf(over)).toMatchObject({ status: "timeout", stale: false });
    expect(await queries()).toBe(3);
    expect(await time.run()).toMatchObject({ Answered: 2 });
    time.moveTo(time.now() + minute);
    expect(await queries()).toBe(5);
    expect(await bodyOf(over)).toMatchObject({ status: "timeout", stale: false });
    expect(await bodyOf(failed)).toMatchObject({ status: "failed", stale: false });
    expect(await queries()).toBe(5);
  });
});

describe("an order that is not settled", () => {
  test("is answered with what the service says at once, which goes through the inbox and is published once", async () => {
    const shop = await makeShop();
    const { orderNo, paymentId } = await created(shop);
    await payInSilence(shop, paymentId);
    const { transactionId } = shop.simulator.order(paymentId);
    const answered = { status: "success", transactionId, statusOrigin: "query", stale: false };
    const paidAmount = { value: "25.00", minor: "2500", currency: "EUR" };
    const answer = await shop.get(`/orders/${orderNo}`);
    expect(answer.body).toMatchObject({ ...answered, paidAmount, paymentId, sequence: 0 });
    // Recorded it is not yet: who asks now gets the older status, and that it is older.
    (await shop.querier()).advance(-hour);
    const meanwhile = await shop.get(`/orders/${orderNo}`);
    expect(meanwhile.body).toMatchObject({ status: "pending", stale: true });
    (await shop.querier()).advance(hour);
    expect(await messagesOf(shop.world, "books")).toEqual([]);

    await shop.pump();
    const [event, ...more] = await eventsOf(shop.world, "books");
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "payment.order.success",
      origin: "query",
      subject: orderNo,
      data: { paymentId, transactionId, amount: paidAmount, flags: [] },
    });
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({ ...answered, sequence: 1 });

    const callbacks = shop.simulator.order(paymentId).callbacks;
    expect(callbacks.map(({ state }) => state)).toEqual(["lost", "lost"]);
  });

  test("is published once if a callback tells the same after the query, or before it", async () => {
    const shop = await makeShop();
    const [first, second] = [await created(shop), await created(shop)];
    for (const { paymentId } of [first, second]) {
      shop.simulator.addFault({
        kind: "delay",
        seconds: 60,
        orderNo: shop.simulator.order(paymentId).orderNo,
      });
      shop.simulator.pay(paymentId);
      shop.simulator.jumpClock(2);
    }
    await shop.simulator.settled();
    expect((await shop.get(`/orders/${first.orderNo}`)).body["status"]).toBe("success");
    await shop.pump();
    expect(await eventsOf(shop.world, "books")).toMatchObject([
      { origin: "query", subject: first.orderNo },
    ]);
    const asked = shop.get(`/orders/${second.orderNo}`);
    shop.simulator.jumpClock(60);
    await shop.simulator.settled();
    await asked;
    await shop.pump();
    const events = await eventsOf(shop.world, "books");
    const published = events.map(({ type, subject }) => `${type} ${subject}`).sort();
    expect(published).toEqual(
      [
        `payment.order.confirming ${first.orderNo}`,
        `payment.order.confirming ${second.orderNo}`,
        `payment.order.success ${second.orderNo}`,
      ].sort(),
    );
  });

  test("says that it is stale when the service is down, which is no error", async () => {
    const shop = await makeShop();
    const { orderNo, paymentId } = await created(shop);
    await shop.stopService();
    expect(await shop.get(`/orders/${orderNo}`)).toMatchObject({
      status: 200,
      body: { status: "pending", stale: true, statusOrigin: "create" },
    });
    const about = { merchantId: shop.world.merchant.merchantId, orderNo, paymentId };
    expect(logOf(await shop.querier())).toMatchObject([
      { outcome: "query-failed", ...about, reason: "gateway-unreachable" },
      { outcome: "stale", ...about, httpStatus: 200, QueryFailed: 1 },
    ]);
    (await shop.querier()).advance(-hour);
    const soonAfter = await shop.get(`/orders/${orderNo}`);
    expect(soonAfter.body).toMatchObject({ status: "pending", stale: true });
    expect(logOf(await shop.querier())).toHaveLength(3);
  });

  let queried: Shop;
  beforeAll(async () => {
    queried = await makeShop();
  });

  test.each([
    ["its answer is HTML", { kind: "broken-answer", how: "html", operation: "query" }],
    ["its answer is cut off", { kind: "broken-answer", how: "truncated", operation: "query" }],
    ["it answers 500", { kind: "broken-answer", how: "http-500", operation: "query" }],
    ["it has lost the payment", { kind: "broken-answer", how: "http-404", operation: "query" }],
    ["it resets connections", { kind: "reset-connections", operation: "query" }],
  ] as const)("is stale when %s", async (_case, fault) => {
    const shop = queried;
    const { orderNo, paymentId } = await created(shop);
    shop.simulator.addFault(fault);
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
      status: "pending",
      stale: true,
    });
    shop.simulator.clearFaults();
    await payInSilence(shop, paymentId);
    await passClaim(shop);
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
      status: "success",
      stale: false,
    });
  });

  test("is stale, and reported again later, when the inbox does not take what was learned", async () => {
    const shop = await makeShop();
    const { orderNo, paymentId } = await created(shop);
    await payInSilence(shop, paymentId);
    const { faults } = await shop.querier();
    faults.fail(to("sqs"), { kind: "cut" });
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
      status: "pending",
      stale: true,
    });
    faults.heal();
    await passClaim(shop);
    expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
      status: "success",
      stale: false,
    });
    await shop.pump();
    expect(await eventsOf(shop.world, "books")).toHaveLength(1);
  });
});
