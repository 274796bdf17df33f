import { describe, expect, test } from "vitest";
import { applyFact, contradictsKnown } from "../../../shared/orders/apply-fact.ts";
import type { Fact } from "../../../shared/orders/fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { emptyOrder, expected, paymentFact, refundFact } from "./facts.ts";

const orderAfter = (...facts: Fact[]): Order =>
  facts.reduce((order, fact) => applyFact(order, fact)?.order ?? order, emptyOrder({ expected }));

const flagsOf = (order: Order, fact: Fact) => applyFact(order, fact)?.flags;

describe("a success whose transaction is told only later", () => {
  const untold = paymentFact({ transactionId: undefined });

  test("takes the transaction over, and that is no second payment", () => {
    const order = orderAfter(untold);
    expect(flagsOf(order, paymentFact({ transactionId: "T1" }))).not.toContain("duplicatePayment");
    const told = orderAfter(untold, paymentFact({ transactionId: "T1" }));
    expect(told.payment.transactionId).toBe("T1");
    expect(told.paidBy).toEqual(["T1"]);
  });

  test("does not hide a payment that comes after it", () => {
    const told = orderAfter(untold, paymentFact({ transactionId: "T1" }));
    expect(flagsOf(told, paymentFact({ transactionId: "T2" }))).toContain("duplicatePayment");
  });
});

test("every transaction that paid an order is listed", () => {
  const order = orderAfter(
    paymentFact({ transactionId: "T1" }),
    paymentFact({ transactionId: "T2" }),
  );
  expect(order.paidBy).toEqual(["T1", "T2"]);
  expect(order.payment.transactionId).toBe("T1");
});

describe("a fact that is known and told again", () => {
  const other = { value: "1.00", minor: "100", currency: "EUR" };

  test("contradicts what is known when its amount is another", () => {
    expect(contradictsKnown(orderAfter(paymentFact()), paymentFact({ amount: other }))).toBe(true);
    const refunded = orderAfter(paymentFact(), refundFact());
    expect(contradictsKnown(refunded, refundFact({ amount: { value: "3.5" } }))).toBe(true);
  });

  test("does not when it says the same, or says no amount", () => {
    const order = orderAfter(paymentFact(), refundFact());
    expect(contradictsKnown(order, paymentFact())).toBe(false);
    expect(contradictsKnown(order, paymentFact({ amount: undefined }))).toBe(false);
    expect(contradictsKnown(order, refundFact({ amount: { value: "2.50" } }))).toBe(false);
  });
});
