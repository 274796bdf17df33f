import { expect, test } from "vitest";
import type { PaymentFact } from "../../../shared/facts/fact.ts";
import type { Flag } from "../../../shared/facts/flags.ts";
import { aggregateKeyOf } from "../../../shared/facts/subject.ts";
import type { FactContext } from "../../../shared/records/fact-context.ts";
import { noticesOfFact } from "../../../shared/records/fact-notices.ts";
import {
  anOrder,
  aPayment,
  linkedPayment,
  merchantId,
  refundFact,
  statusFact,
  successFact,
} from "../orders/facts.ts";

const expiry = { recordExpiryDays: 90, now: () => Date.UTC(2026, 10, 15) };

const ofPayment = (fact: PaymentFact = successFact()): FactContext => ({
  kind: "order",
  fact,
  aggregate: anOrder(),
  payments: [],
});
const ofRefund = (fact = refundFact(), aggregate = linkedPayment()): FactContext => ({
  kind: "payment",
  fact,
  aggregate,
  order: undefined,
});

function noticesOf(context: FactContext, flags: readonly Flag[] = ["mismatch"]) {
  return noticesOfFact(context, { factId: "fact", flags }, "C-1", expiry);
}

const revealedBy = (context: FactContext) => noticesOf(context)[0]?.revealed;

test("each flag that needs attention has a notice, and no other flag has one", () => {
  const flags: Flag[] = ["late", "duplicatePayment", "mismatch", "refunded", "conflict"];
  expect(noticesOf(ofPayment(), flags).map(({ kind }) => kind)).toEqual([
    "duplicate-payment",
    "mismatch",
    "refunded",
    "conflict",
  ]);
  expect(noticesOf(ofPayment(), [])).toEqual([]);
});

test("a notice about a payment's result belongs to its order and names the payment", () => {
  const order = aggregateKeyOf({ kind: "order", merchantId, orderNo: "A" });
  const [notice] = noticesOf(ofPayment(successFact({ paymentId: "P1" })));
  expect(notice).toMatchObject({
    callbackKey: `#notice#${order}`,
    receipt: "mismatch#fact",
    merchantId,
    orderNo: "A",
    paymentId: "P1",
    attention: { kind: "mismatch", orderNo: "A", paymentId: "P1" },
  });
});

test("a notice about a refund belongs to its payment and names the linked order", () => {
  const payment = aggregateKeyOf({ kind: "payment", merchantId, paymentId: "P1" });
  expect(noticesOf(ofRefund())).toMatchObject([
    { callbackKey: `#notice#${payment}`, merchantId, orderNo: "A", paymentId: "P1" },
  ]);
  const [unlinked] = noticesOf(ofRefund(refundFact(), aPayment()));
  expect(unlinked).toMatchObject({ callbackKey: `#notice#${payment}`, paymentId: "P1" });
  expect(unlinked).not.toHaveProperty("orderNo");
});

test("a notice states what revealed it", () => {
  expect(revealedBy(ofPayment())).toStrictEqual({
    factId: "fact",
    callbackId: "C-1",
    type: "payment.order.success",
    transactionId: "T1",
    amount: "12.50 EUR",
  });
  expect(revealedBy(ofRefund())).toEqual({
    factId: "fact",
    callbackId: "C-1",
    type: "payment.refund.success",
    transactionId: "T2",
    refundId: "R1",
    amount: "2.5",
  });
});

test("a notice states no amount if the fact has none", () => {
  expect(revealedBy(ofPayment(statusFact("failed")))).toEqual({
    factId: "fact",
    callbackId: "C-1",
    type: "payment.order.failed",
    transactionId: "T1",
  });
});

test("a repeat has the notice of the published fact, so that a dismissed one is not reopened", () => {
  const repeated = { factId: "repeat", publishedId: "first", flags: ["mismatch"] as const };
  expect(noticesOfFact(ofPayment(), repeated, undefined, expiry)).toMatchObject([
    { receipt: "mismatch#first", revealed: { factId: "first" } },
  ]);
});
