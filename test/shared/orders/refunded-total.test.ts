import { expect, test } from "vitest";
import { applyFact } from "../../../shared/orders/apply-fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { refundedTotal, refundsExceedPayment } from "../../../shared/orders/refunded-total.ts";
import { emptyOrder, paymentFact, refundFact } from "./facts.ts";

const refunded = (order: Order, refundId: string, value: string) =>
  applyFact(order, refundFact({ refundId, amount: { value } }))!.order;

const paid = applyFact(emptyOrder(), paymentFact())!.order;

test("the total is the sum of the refunds that succeeded, in the payment's currency", () => {
  const failed = refundFact({ refundId: "R3", status: "refund_failed", amount: { value: "5" } });
  const order = applyFact(refunded(refunded(paid, "R1", "0.1"), "R2", "0.2"), failed)!.order;
  expect(refundedTotal(order)).toEqual({ value: "0.30", minor: "30", currency: "EUR" });
});

test("there is no total while no currency is known", () => {
  expect(refundedTotal(refunded(emptyOrder(), "R1", "1"))).toBeUndefined();
});

test("refunds exceed the payment by the smallest unit, and not when they equal it", () => {
  const all = refunded(paid, "R1", "12.5");
  expect(refundsExceedPayment(all)).toBe(false);
  expect(refundsExceedPayment(refunded(all, "R2", "0.01"))).toBe(true);
  expect(refundsExceedPayment(refunded(emptyOrder(), "R1", "999"))).toBe(false);
});
