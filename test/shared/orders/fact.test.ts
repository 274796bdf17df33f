import { expect, test } from "vitest";
import type { Fact } from "../../../shared/orders/fact.ts";
import { factIdOf } from "../../../shared/orders/fact.ts";
import { paymentFact, refundFact } from "./facts.ts";

const distinct = (facts: readonly Fact[]) => new Set(facts.map(factIdOf)).size;

test("a fact is told apart by merchant, order or refund, status and transaction", () => {
  const facts = [
    paymentFact(),
    paymentFact({ merchantId: "another" }),
    paymentFact({ orderNo: "B" }),
    paymentFact({ status: "failed" }),
    paymentFact({ transactionId: "T9" }),
    paymentFact({ transactionId: undefined }),
    refundFact(),
    refundFact({ refundId: "A" }),
    refundFact({ paymentId: "P9" }),
    refundFact({ status: "refund_failed" }),
    refundFact({ transactionId: "T1" }),
  ];
  expect(distinct(facts)).toBe(facts.length);
});

test("how, when and in which words it was told makes no other fact of it", () => {
  const payments = [
    paymentFact(),
    paymentFact({ origin: "query", learnedAtMilliseconds: 1, paymentId: "P1" }),
    paymentFact({ reason: "words", amount: undefined, completedAtMilliseconds: undefined }),
  ];
  expect(distinct(payments)).toBe(1);
  expect(distinct([refundFact(), refundFact({ refundNo: "N", reason: "words" })])).toBe(1);
});

test("no two facts run together, whatever their parts hold", () => {
  const facts = [
    paymentFact({ merchantId: "a", orderNo: "b,c" }),
    paymentFact({ merchantId: "a,b", orderNo: "c" }),
    paymentFact({ merchantId: "a", orderNo: 'b","c' }),
  ];
  expect(distinct(facts)).toBe(3);
});

test("an event's id is a hex SHA-256", () => {
  expect(factIdOf(paymentFact())).toMatch(/^[0-9a-f]{64}$/);
});
