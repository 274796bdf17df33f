import { describe, expect, test } from "vitest";
import { creationLeaseMilliseconds as lease } from "../../shared/timing.ts";
import { paymentCallback } from "../integration/callbacks.ts";
import { writes } from "../integration/fault-proxy.ts";
import { eventsOf } from "../integration/flow.ts";
import { successFact } from "../shared/orders/facts.ts";
import { countQueries } from "./count-queries.ts";
import { cancelled } from "./dynamodb-faults.ts";
import { holdWrite } from "./hold-write.ts";
import { makeBarrier, makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { createEvent, orderBody, orderNoOf } from "./order.ts";
import { reportPayment } from "./report.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
const amount = { value: "25.00", minor: "2500", currency: "EUR" };

const tell = async (shop: Shop, orderNo: string) =>
  await reportPayment(shop.world, successFact({ orderNo, amount }));

describe("a fact that is recorded between a read and a write of create-order", () => {
  test("is not lost when the attempt begins: the order is not sent at all", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const writing = holdWrite(await shop.creator());
    const creating = shop.create(body);
    await writing.held();
    await tell(shop, orderNoOf(body));
    writing.release();
    expect(await creating).toMatchObject({
      status: 409,
      body: { type: "urn:paycast:problem:order-exists" },
    });
    expect(shop.simulator.orders()).toEqual([]);
    expect(await shop.order(orderNoOf(body))).toMatchObject({ status: "success", sequence: 1 });
  });

  test("is not lost when the payment is stored: the answer already has it", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const writing = holdWrite(await shop.creator(), 1);
    const creating = shop.create(body);
    await writing.held();
    await tell(shop, orderNoOf(body));
    writing.release();
    const created = await creating;
    const [made] = shop.simulator.orders();
    expect(created).toMatchObject({
      status: 201,
      body: { status: "success", paymentId: made?.paymentId, flags: [], sequence: 1 },
    });
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body).toEqual(created.body);
  });

  test("is not lost when a refusal is stored", async () => {
    const { shop } = await makeOpensslShop(makeShop, {}, () => ({ code: 40777, msg: "closed" }));
    const body = orderBody();
    const writing = holdWrite(await shop.creator(), 1);
    const creating = shop.create(body);
    await writing.held();
    await tell(shop, orderNoOf(body));
    writing.release();
    expect((await creating).status).toBe(502);
    expect(await shop.order(orderNoOf(body))).toMatchObject({
      status: "success",
      attempts: [{ state: "refused" }],
    });
  });
});

describe("between the read and the write of a callback's fact", () => {
  async function heldCallback() {
    const { shop } = await makeOpensslShop(makeShop, {}, ({ method }) =>
      success(method === "service.trade.query" ? { status: "pending" } : paymentData),
    );
    const body = orderBody();
    const orderNo = orderNoOf(body);
    await shop.create(body);
    await shop.querier();
    const writing = holdWrite(await shop.processor());
    const result = { referOrderNo: orderNo, paymentAmount: 25, currency: "EUR", status: "success" };
    expect((await shop.receive(paymentCallback(shop.world, result))).status).toBe(200);
    const processing = shop.pump();
    await writing.held();
    return { shop, orderNo, writing, processing };
  }

  test("a query may claim the order and be answered: the fact is recorded and published once", async () => {
    const { shop, orderNo, writing, processing } = await heldCallback();
    const path = `/orders/${orderNo}`;
    expect((await shop.get(path)).body).toMatchObject({ status: "pending", stale: false });
    writing.release();
    await processing;
    expect(await eventsOf(shop.world, "books")).toMatchObject([{ subject: orderNo }]);
    expect((await shop.get(path)).body).toMatchObject({ status: "success", sequence: 1 });
    expect(await shop.order(orderNo)).toMatchObject({ question: { kind: "answered" } });
  });
});

describe("a claim to ask", () => {
  test("that meets a fact does not overwrite it: the caller gets the fact", async () => {
    const shop = await makeShop();
    const body = orderBody();
    await shop.create(body);
    const writing = holdWrite(await shop.querier());
    const queries = countQueries(shop);
    const asking = shop.get(`/orders/${orderNoOf(body)}`);
    await writing.held();
    await tell(shop, orderNoOf(body));
    writing.release();
    const fresh = { status: "success", stale: false, sequence: 1 };
    expect((await asking).body).toMatchObject(fresh);
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body).toMatchObject(fresh);
    expect(await queries()).toBe(0);
  });
});

describe("of two attempts, the end of the first", () => {
  test.each([
    ["refused", { code: 40777, msg: "closed" }, 502],
    ["unknown", "no JSON", 504],
  ] as const)(
    "being %s does not touch the second, which is under way",
    async (state, answer, status) => {
      const [first, second] = [makeBarrier(), makeBarrier()];
      const { shop, service } = await makeOpensslShop(makeShop, {}, async (_request, count) => {
        await (count === 1 ? first : second).opened;
        return count === 1 ? answer : success({ ...paymentData, paymentId: "P2" });
      });
      const body = orderBody();
      const earlier = await shop.creator();
      (await shop.replace("create-order")).advance(lease);
      const candidate = earlier.invoke(createEvent(body));
      await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(1);
      const two = shop.create(body);
      await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(2);
      first.open();
      expect(await candidate).toMatchObject({ value: { statusCode: status } });
      // The second still has its lease: nobody else sends.
      expect(await shop.create(body)).toMatchObject({
        status: 409,
        body: { type: "urn:paycast:problem:order-in-progress" },
      });
      second.open();
      expect(await two).toMatchObject({ status: 201, body: { paymentId: "P2" } });
      expect(await shop.order(orderNoOf(body))).toMatchObject({
        attempts: [{ state }, { state: "created", paymentId: "P2" }],
      });
      expect(service.requests).toHaveLength(2);
    },
  );
});

describe("two equal creates at once", () => {
  test("that have both read an empty table: one writes and sends, the other is asked to wait", async () => {
    const barrier = makeBarrier();
    const { shop, service } = await makeOpensslShop(makeShop, {}, async () => {
      await barrier.opened;
      return success(paymentData);
    });
    const body = orderBody();
    const slow = await shop.creator();
    await shop.replace("create-order");
    const late = holdWrite(slow);
    const second = slow.invoke(createEvent(body));
    await late.held();
    const first = shop.create(body);
    await expect.poll(() => service.requests.length, { timeout: 9_000 }).toBe(1);
    late.release();
    const problem = expect.stringContaining("urn:paycast:problem:order-in-progress");
    expect(await second).toMatchObject({ value: { statusCode: 409, body: problem } });
    barrier.open();
    expect(await first).toMatchObject({ status: 201, body: { paymentId: "P1" } });
    expect(service.requests).toHaveLength(1);
  });

  test("whose transactions collide: each is tried again", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    const error = cancelled("TransactionConflict", "None");
    faults.fail(writes, { kind: "refuse", error }, { times: 2 });
    faults.fail(writes, { kind: "refuse", error }, { skip: 1, times: 2 });
    expect(await shop.create()).toMatchObject({ status: 201 });
    expect(faults.calls.filter(writes)).toHaveLength(6);
    expect(shop.simulator.orders()).toHaveLength(1);
  });
});
