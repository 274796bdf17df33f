import { describe, expect, test } from "vitest";
import type { Fact } from "../../../shared/facts/fact.ts";
import { saveAggregates } from "../../../shared/orders/aggregate-store.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { loadContext } from "../../../shared/records/load-context.ts";
import { memoryDatabase } from "../../builders/memory-table.ts";
import {
  anOrder,
  aPayment,
  linkedPayment,
  refundFact,
  statusFact,
  successFact,
} from "../orders/facts.ts";

/** The context of a fact whose order and payment are stored. */
async function contextOf(fact: Fact, over: Partial<Order> = {}, payment = linkedPayment()) {
  const database = memoryDatabase();
  await saveAggregates(database, "orders", [anOrder({ paymentIds: ["P1"], ...over }), payment]);
  return await loadContext(database, "orders", fact);
}

describe("the context of a payment's result", () => {
  test.each([
    ["ends", statusFact("timeout"), "pending"],
    ["pays for", successFact(), "timeout"],
  ] as const)("has the payments of an order that it %s", async (_case, fact, status) => {
    const payments = [linkedPayment({ revision: 1 })];
    expect(await contextOf(fact, { status })).toMatchObject({ kind: "order", payments });
  });

  test.each([
    ["leaves open", statusFact("confirming"), "pending"],
    ["cannot end any more", statusFact("timeout"), "success"],
  ] as const)("has no payments of an order that it %s", async (_case, fact, status) => {
    expect(await contextOf(fact, { status })).toMatchObject({ kind: "order", payments: [] });
  });
});

describe("the context of a refund", () => {
  test("has its payment and the order that this is linked to", async () => {
    expect(await contextOf(refundFact())).toMatchObject({
      kind: "payment",
      aggregate: { paymentId: "P1", revision: 1 },
      order: { orderNo: "A", revision: 1 },
    });
  });

  test("has no order if the payment is linked to none", async () => {
    expect(await contextOf(refundFact(), {}, aPayment())).toMatchObject({ order: undefined });
  });
});
