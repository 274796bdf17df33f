import { expect, test } from "vitest";
import { paymentFactId, refundFactId } from "../../../shared/facts/fact.ts";
import { flagWords } from "../../../shared/facts/flag-words.ts";
import { flags } from "../../../shared/facts/flags.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import { merchantId, refundFact, statusFact, successFact } from "../orders/facts.ts";

const distinct = (ids: readonly string[]) => new Set(ids).size;

test("a payment's fact is distinguished by merchant, order, status, transaction and attempt", () => {
  const ids = [
    paymentFactId(successFact()),
    paymentFactId(successFact(), "attempt 1"),
    paymentFactId(successFact({ merchantId: "another" })),
    paymentFactId(successFact({ orderNo: "B" })),
    paymentFactId(statusFact("failed")),
    paymentFactId(successFact({ transactionId: "T9" })),
    paymentFactId(successFact({ transactionId: undefined })),
    refundFactId(refundFact()),
  ];
  expect(distinct(ids)).toBe(ids.length);
});

test("a refund's fact is distinguished by merchant, payment, refund and status, not by its transaction", () => {
  const ids = [
    refundFactId(refundFact()),
    refundFactId(refundFact({ merchantId: "another" })),
    refundFactId(refundFact({ refundId: "A" })),
    refundFactId(refundFact({ paymentId: "P9" })),
    refundFactId(refundFact({ status: "refund_failed" })),
  ];
  expect(distinct(ids)).toBe(ids.length);
  expect(refundFactId(refundFact({ transactionId: "T1" }))).toBe(ids[0]);
});

test("how, when and in which words a fact was reported is no part of its identity", () => {
  const ids = [
    paymentFactId(successFact()),
    paymentFactId(successFact({ origin: "query", learnedAtMilliseconds: 1, paymentId: "P1" })),
    paymentFactId(successFact({ reason: "words", completedAtMilliseconds: undefined })),
  ];
  expect(distinct(ids)).toBe(1);
});

test("no two facts run together, whatever their parts hold", () => {
  const ids = [
    paymentFactId(successFact({ merchantId: "a", orderNo: "b,c" })),
    paymentFactId(successFact({ merchantId: "a,b", orderNo: "c" })),
    paymentFactId(successFact({ merchantId: "a", orderNo: 'b","c' })),
  ];
  expect(distinct(ids)).toBe(3);
});

test("a fact has the same id in every version, since it is stored and published", () => {
  const unreported = successFact({ transactionId: undefined });
  const parts = (...texts: string[]) => sha256Of(...texts);
  expect(paymentFactId(unreported)).toBe(parts("payment", merchantId, "A", "success", ""));
  expect(paymentFactId(unreported, "x")).toBe(
    parts("payment", merchantId, "A", "success", "", "x"),
  );
  expect(refundFactId(refundFact())).toBe(
    parts("refund", merchantId, "P1", "R1", "refund_success"),
  );
  expect(paymentFactId(unreported)).toMatch(/^[0-9a-f]{64}$/);
});

test("each flag is explained, in the order of the list", () => {
  expect(Object.keys(flagWords)).toEqual(flags);
});
