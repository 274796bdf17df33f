import { describe, expect, test } from "vitest";
import {
  queryAnsweredMilliseconds,
  queryCallMilliseconds,
  queryClaimMilliseconds,
} from "../../shared/timing.ts";
import { eventsOf, logOf } from "../integration/flow.ts";
import { statusFact } from "../shared/orders/facts.ts";
import { makeBarrier, makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { reportPayment } from "./report.ts";
import { type Shop, useShops } from "./shop.ts";
import { created } from "./silent-payment.ts";

const makeShop = useShops();
const isQuery = ({ method }: { method: string }) => method === "service.trade.query";
const manyAtOnce = 12;
const hour = 3_600_000;

/** A shop with one pending order. The service answers queries as arranged. */
async function orderAtService(answer: () => unknown, instances = 1) {
  const { shop, service } = await makeOpensslShop(makeShop, { instances }, (request) =>
    isQuery(request) ? answer() : success(paymentData),
  );
  const body = orderBody();
  expect((await shop.create(body)).status).toBe(201);
  await shop.queriers();
  const queries = () => service.requests.filter(isQuery).length;
  return { shop, path: `/orders/${orderNoOf(body)}`, queries };
}

async function advance(shop: Shop, milliseconds: number): Promise<void> {
  for (const instance of await shop.queriers()) instance.advance(milliseconds);
}

const statusOf = ({ body }: { body: Record<string, unknown> }) => [body["status"], body["stale"]];

describe("of many callers at once", () => {
  test("one asks; the others get at once what is stored, and that it may be older", async () => {
    const barrier = makeBarrier();
    const answer = () => barrier.opened.then(() => success({ status: "pending" }));
    const { shop, path, queries } = await orderAtService(answer, 2);
    const first = shop.get(path);
    await expect.poll(queries, { timeout: 9_000 }).toBe(1);
    // Two for each instance: after two and a half seconds the first one would ask again.
    const paths = [path, "/payments/P1", path, "/payments/P1"];
    const others = await Promise.all(paths.map((each) => shop.get(each)));
    for (const other of others) expect(statusOf(other)).toEqual(["pending", true]);
    barrier.open();
    expect(statusOf(await first)).toEqual(["pending", false]);
    expect(queries()).toBe(1);
  });

  test("that begin in the same moment one asks", async () => {
    const { shop, path, queries } = await orderAtService(() => success({ status: "pending" }), 2);
    await Promise.all(Array.from({ length: manyAtOnce }, () => shop.get(path)));
    expect(queries()).toBe(1);
  });
});

describe("after an answer", () => {
  test("what is stored is fresh for a while, then the next caller asks", async () => {
    const { shop, path, queries } = await orderAtService(() => success({ status: "pending" }));
    expect(statusOf(await shop.get(path))).toEqual(["pending", false]);
    // Set back, the clock stays inside the while however slow the machine is.
    await advance(shop, -hour);
    expect(statusOf(await shop.get(path))).toEqual(["pending", false]);
    expect(statusOf(await shop.get("/payments/P1"))).toEqual(["pending", false]);
    expect(queries()).toBe(1);
    await advance(shop, hour + queryAnsweredMilliseconds);
    expect(statusOf(await shop.get(path))).toEqual(["pending", false]);
    expect(queries()).toBe(2);
  });
});

describe("while the service hangs", () => {
  test("a caller waits no longer than the budget, and nobody else waits or asks", async () => {
    const barrier = makeBarrier();
    const { shop, path, queries } = await orderAtService(() => barrier.opened.then(() => "{}"));
    const startedAt = performance.now();
    const first = shop.get(path).then((answer) => ({ answer, endedAt: performance.now() }));
    await expect.poll(queries, { timeout: 9_000 }).toBe(1);
    expect(statusOf(await shop.get(path))).toEqual(["pending", true]);
    const secondEndedAt = performance.now();
    const { answer, endedAt } = await first;
    expect(statusOf(answer)).toEqual(["pending", true]);
    expect(secondEndedAt).toBeLessThan(endedAt);
    expect(endedAt - startedAt).toBeLessThan(1.5 * queryCallMilliseconds);
    const asked = queries();
    await advance(shop, -hour);
    for (let count = 0; count < 3; count += 1) {
      expect(statusOf(await shop.get(path))).toEqual(["pending", true]);
    }
    expect(queries()).toBe(asked);
    barrier.open();
    await advance(shop, hour + queryClaimMilliseconds);
    await shop.get(path);
    expect(queries()).toBeGreaterThan(asked);
  });
});

describe("an answer that contradicts what is stored", () => {
  test.each(["confirming", "pending"])(
    "is stale: an order that failed here is %s at the service",
    async (status) => {
      const { shop, path, queries } = await orderAtService(() => success({ status }));
      const orderNo = path.slice("/orders/".length);
      await reportPayment(shop.world, statusFact("failed", { orderNo }));
      expect(statusOf(await shop.get(path))).toEqual(["failed", true]);
      await shop.pump();
      // Also for the caller who finds the answer of the first one.
      await advance(shop, -hour);
      expect(statusOf(await shop.get(path))).toEqual(["failed", true]);
      expect(queries()).toBe(1);
    },
  );
});

describe("an answer about a refund", () => {
  test("that is not about the whole amount: the order stays as it is, stale and without checkoutUrl", async () => {
    const answer = () => success({ status: "refund_success", payAmount: 5, currency: "EUR" });
    const { shop, path, queries } = await orderAtService(answer);
    const found = await shop.get(path);
    expect(statusOf(found)).toEqual(["pending", true]);
    expect(found.body).toMatchObject({ refundStatus: "refund_success", flags: [] });
    expect(found.body).not.toHaveProperty("checkoutUrl");
    const about = { orderNo: found.body["orderNo"], paymentId: "P1" };
    expect(logOf(await shop.querier())).toMatchObject([
      { outcome: "refund-status-answered", ...about, RefundStatusAnswered: 1 },
      { outcome: "stale", ...about, httpStatus: 200 },
    ]);
    await advance(shop, -hour);
    const soonAfter = await shop.get(path);
    expect(statusOf(soonAfter)).toEqual(["pending", true]);
    expect(soonAfter.body["refundStatus"]).toBe("refund_success");
    expect(soonAfter.body).not.toHaveProperty("checkoutUrl");
    expect(queries()).toBe(1);
  });

  test("of a payment whose callbacks are lost: it was paid, and its one success is flagged", async () => {
    const shop = await makeShop({ simulator: { refundedPayments: "refund" } });
    const { simulator, world } = shop;
    const { orderNo, paymentId } = await created(shop);
    simulator.addFault({ kind: "delay", seconds: 600 });
    simulator.pay(paymentId);
    simulator.jumpClock(2);
    await simulator.settled();
    simulator.refund(paymentId, { amount: "4.10" });
    const { body } = await shop.get(`/orders/${orderNo}`);
    const paid = { status: "success", stale: false, refundStatus: "refunding" };
    expect(body).toMatchObject({ ...paid, flags: ["refunded"], refunds: [] });
    expect(body).not.toHaveProperty("transactionId");
    expect(body).not.toHaveProperty("checkoutUrl");
    await shop.pump();
    const [event] = await eventsOf(world, "books");
    expect(event).toMatchObject({ type: "payment.order.success", origin: "query" });
    expect(event!.data.flags).toEqual(["refunded"]);
    // The callbacks come after all, with the transaction.
    simulator.jumpClock(700);
    await simulator.settled();
    await shop.pump();
    const types = (await eventsOf(world, "books")).map(({ type }) => type);
    expect(types.sort()).toEqual(["payment.order.confirming", "payment.refund.success"]);
    const order = await shop.get(`/orders/${orderNo}`);
    expect(order.body["transactionId"]).toEqual(expect.any(String));
    expect(order.body).toMatchObject({ refunds: [{ status: "refund_success" }] });
  });
});

describe("an answer that names another merchant", () => {
  test("is not believed: the order stays as it is, stale", async () => {
    const data = { status: "success", payAmount: 25, currency: "EUR", merchantId: "M9" };
    const { shop, path } = await orderAtService(() => success(data));
    expect(statusOf(await shop.get(path))).toEqual(["pending", true]);
    expect(logOf(await shop.querier())[0]).toMatchObject({
      outcome: "query-failed",
      reason: "merchant-differs",
    });
  });
});
