import { describe, expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import { refundsContradict } from "../../../shared/orders/check-refunds.ts";
import type { Order } from "../../../shared/orders/order.ts";
import {
  anAttempt,
  anOrder,
  expected,
  linkedPayment,
  other,
  refundFact,
  statusFact,
  successFact,
} from "./facts.ts";

const refunded = (value: string, over = {}) =>
  applyRefundFact(linkedPayment(over), refundFact({ amount: { value } })).aggregate;
const orderAfter = (facts: readonly PaymentFact[], over: Partial<Order> = {}) =>
  facts.reduce(
    (order, fact) => applyPaymentFact(order, fact).aggregate,
    anOrder({ expected, ...over }),
  );

describe("a refund contradicts an order", () => {
  test.each<[string, readonly PaymentFact[], string, boolean]>([
    ["that was paid, as a part of it", [successFact()], "2.50", false],
    ["that was paid, as all of it", [successFact()], "12.50", false],
    ["that was paid, as more than that", [successFact()], "12.51", true],
    ["that was paid less than expected", [successFact({ amount: other })], "1.01", true],
    ["that was paid less, as all of that", [successFact({ amount: other })], "1", false],
    [
      "that was paid in another currency",
      [successFact({ amount: { ...expected, currency: "USD" } })],
      "12.50",
      true,
    ],
    ["that failed", [statusFact("failed")], "0.01", true],
    ["that timed out", [statusFact("timeout")], "0.01", true],
    ["that failed, by an amount that cannot be read", [statusFact("failed")], "0.001", true],
    ["that timed out and was paid after all", [statusFact("timeout"), successFact()], "1", false],
    ["that is pending", [], "99", false],
    ["that is confirming", [statusFact("confirming")], "99", false],
    ["that was paid twice", [successFact(), successFact({ transactionId: "T2" })], "25", false],
  ])("%s", (_case, facts, value, contradicts) => {
    expect(refundsContradict(refunded(value), orderAfter(facts))).toBe(contradicts);
  });

  test("only if it succeeded, and only the order that its payment is linked to", () => {
    const failed = refundFact({ status: "refund_failed", type: "payment.refund.failed" });
    const order = orderAfter([statusFact("failed")]);
    expect(refundsContradict(applyRefundFact(linkedPayment(), failed).aggregate, order)).toBe(
      false,
    );
    const onceRefunded = applyRefundFact(refunded("1"), { ...failed, refundId: "R2" }).aggregate;
    expect(refundsContradict(onceRefunded, order)).toBe(true);
    const elsewhere = refunded("1", { order: { orderNo: "B", expected } });
    expect(refundsContradict(elsewhere, order)).toBe(false);
  });
});

describe("of an order with two payments", () => {
  const attempts = ["P1", "P2"].map((paymentId, index) =>
    anAttempt({ attemptId: paymentId, paymentId, paymentTimeMilliseconds: index + 1_001 }),
  );
  const two = { attempts, paymentIds: ["P1", "P2"] };
  const first = successFact({ createdAtMilliseconds: 1_001 });
  const second = successFact({ transactionId: "T2", createdAtMilliseconds: 1_002 });
  const refundOf = (paymentId: string, value: string) => refunded(value, { paymentId });

  test("each has what came in for it", () => {
    const order = orderAfter([first, second], two);
    for (const paymentId of ["P1", "P2"]) {
      expect(refundsContradict(refundOf(paymentId, "12.50"), order)).toBe(false);
      expect(refundsContradict(refundOf(paymentId, "12.51"), order)).toBe(true);
    }
  });

  test("the payment that was not paid has nothing to refund", () => {
    const order = orderAfter([second], two);
    expect(refundsContradict(refundOf("P1", "1"), order)).toBe(true);
    expect(refundsContradict(refundOf("P2", "1"), order)).toBe(false);
  });

  test("a success that may be of either counts for both", () => {
    const order = orderAfter([successFact()], two);
    for (const paymentId of ["P1", "P2"]) {
      expect(refundsContradict(refundOf(paymentId, "12.50"), order)).toBe(false);
    }
  });
});
