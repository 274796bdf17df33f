import { describe, expect, test } from "vitest";
import {
  loadOrder,
  loadOrderByKey,
  loadPayment,
  loadPaymentsOf,
  loadReadablePaymentsOf,
  retryOnContention,
  saveAggregates,
  saveOrder,
} from "../../../shared/orders/aggregate-store.ts";
import { storeBeginning, storeEnd, storePayment } from "../../../shared/orders/creation-store.ts";
import { newOrder } from "../../../shared/orders/order.ts";
import { putItems } from "../../../shared/table/put-items.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import { anOrder, aPayment, expected, merchantId } from "./facts.ts";

const now = Date.UTC(2026, 10, 15);
const name = { merchantId, orderNo: "A" };
const request = {
  amount: expected,
  channel: "WEB",
  content: { channel: "h" },
  callbackUrl: "https://api.example/callbacks",
  paymentTimeMilliseconds: now,
  expiresAtMilliseconds: now + 1_000,
};
const created = { state: "created", paymentId: "P1", checkoutUrl: "https://pay.test/" } as const;

const store = {
  tables: { callbacks: "callbacks", orders: "orders" },
  notices: { recordExpiryDays: 90, now: () => now },
};

/** A table and the three steps of a creation in it. */
function shop() {
  const database = memoryDatabase(now);
  return {
    database,
    begin: (attemptId: string) => storeBeginning(database, "orders", name, request, attemptId),
    end: (attemptId: string, end: Parameters<typeof storeEnd>[4]) =>
      storeEnd(database, "orders", name, attemptId, end),
    pay: async (attemptId: string, orderNo = "A") => {
      const begun = await loadOrder(database, "orders", merchantId, orderNo);
      return await storePayment(database, store, begun, attemptId, created);
    },
    order: () => loadOrder(database, "orders", merchantId, "A"),
    payment: () => loadPayment(database, "orders", merchantId, "P1"),
  };
}

describe("an aggregate", () => {
  test("is written by one of two who read it, and has a new revision then", async () => {
    const { database, order } = shop();
    expect(await order()).toMatchObject({ revision: 0, dayShard: expect.any(String) });
    const first = await saveOrder(database, "orders", await order());
    expect(first?.revision).toBe(1);
    expect(await saveOrder(database, "orders", newOrder(merchantId, "A"))).toBeUndefined();
    expect((await saveOrder(database, "orders", first!))?.revision).toBe(2);
    expect(await saveAggregates(database, "orders", [first!, aPayment()])).toBe(false);
    expect(await loadPaymentsOf(database, "orders", anOrder({ paymentIds: ["P1"] }))).toEqual([
      aPayment(),
    ]);
    const found = await loadOrderByKey(database, "orders", first!.aggregateKey);
    expect(found?.revision).toBe(2);
    expect(await loadOrderByKey(database, "orders", "none")).toBeUndefined();
  });

  test("that others change too often fails after twelve attempts, with growing pauses", async () => {
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => void pauses.push(milliseconds);
    const database = { ...memoryDatabase(now), pause, random: () => 0.5 };
    const never = retryOnContention(database, async () => undefined);
    await expect(never).rejects.toMatchObject({ code: "aggregate-contended", retryable: true });
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 160, 160, 160, 160, 160, 160]);
    expect(await retryOnContention(database, async () => 0)).toBe(0);
  });
});

test("the readable payments of an order are those that exist and can be read", async () => {
  const { database } = shop();
  await saveAggregates(database, "orders", [aPayment()]);
  const unreadable = { aggregateKey: `${merchantId}#payment#P2`, refunds: "unreadable" };
  await putItems(database, [{ table: "orders", item: unreadable }]);
  const order = anOrder({ paymentIds: ["P2", "P1", "P3"] });
  expect(await loadReadablePaymentsOf(database, "orders", order)).toEqual([
    { ...aPayment({ revision: 1 }), itemFormat: 1 },
  ]);
});

describe("a creation in the table", () => {
  test("begins once, even if the response to the write was lost", async () => {
    const { begin, order } = shop();
    expect((await begin("one")).beginning).toMatchObject({ kind: "begun", attemptId: "one" });
    const again = await begin("one");
    expect(again).toMatchObject({ beginning: { kind: "begun", attemptId: "one" } });
    expect(again.order.attempts).toHaveLength(1);
    const other = await begin("two");
    expect(other.beginning.kind).toBe("in-progress");
    expect(other.order.attempts).toHaveLength(1);
    expect((await order()).revision).toBe(1);
  });

  test("ends with its payment, which is linked in the same transaction", async () => {
    const { begin, pay, order, payment } = shop();
    await begin("one");
    const stored = await pay("one");
    expect(stored).toMatchObject({
      kind: "stored",
      mismatch: false,
      order: { paymentIds: ["P1"] },
    });
    expect(await order()).toMatchObject({ creation: { paymentId: "P1" }, revision: 2 });
    expect((await payment()).order).toEqual({ orderNo: "A", expected });
  });

  test("leaves a payment of another order where it is, and its own outcome unknown", async () => {
    const { database, begin, pay, order, payment } = shop();
    await saveAggregates(database, "orders", [aPayment({ order: { orderNo: "B", expected } })]);
    await begin("one");
    expect(await pay("one")).toEqual({ kind: "claimed" });
    expect((await order()).attempts[0]!.state).toBe("unknown");
    expect((await payment()).order?.orderNo).toBe("B");
  });

  test("ends without a payment for an attempt that was begun, and for no other", async () => {
    const { begin, end, order } = shop();
    await begin("one");
    await end("other", { state: "refused" });
    expect(await order()).toMatchObject({ revision: 1, attempts: [{ state: "sending" }] });
    await end("one", { state: "refused" });
    await begin("two");
    await end("two", { state: "unknown" });
    expect((await order()).attempts.map(({ state }) => state)).toEqual(["refused", "unknown"]);
  });
});
