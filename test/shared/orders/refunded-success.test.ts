import { describe, expect, test } from "vitest";
import type { RefundFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import { withRefundAnswer } from "../../../shared/orders/known-refunds.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { anOrder, expected, linkedPayment, refundFact, statusFact, successFact } from "./facts.ts";

const learnedAt = toRfc3339(successFact().learnedAtMilliseconds);

describe("a success that a refund's status shows", () => {
  const shown = successFact({
    origin: "query",
    paymentId: "P7",
    transactionId: undefined,
    refundStatus: "refunding",
  });
  const refunding = { status: "refunding", learnedAt };
  const paid = applyPaymentFact(anOrder({ expected }), successFact()).aggregate;

  test("is published with the flag, and the order keeps the status of the refund", () => {
    const applied = applyPaymentFact(anOrder({ expected }), shown);
    expect(applied).toMatchObject({ kind: "news", flags: ["refunded"] });
    expect(applied.aggregate).toMatchObject({ status: "success", refundReport: refunding });
  });

  test("and a later callback with its transaction are one fact", () => {
    const order = applyPaymentFact(anOrder({ expected }), shown).aggregate;
    const again = applyPaymentFact(order, successFact());
    expect(again).toMatchObject({ kind: "known", flags: [] });
    expect(again.aggregate.payment.transactionId).toBe("T1");
    expect(again.aggregate).toMatchObject({ refundReport: refunding, flags: ["refunded"] });
  });

  test("with another amount is no success, but a later one has the flag", () => {
    const refundReport = { status: "refund_success", learnedAt } as const;
    const order = anOrder({ expected, refundReport });
    const applied = applyPaymentFact(order, successFact());
    expect(applied).toMatchObject({ kind: "news", flags: ["refunded"] });
    expect(applyPaymentFact(order, statusFact("failed")).flags).toEqual(["mismatch"]);
    expect(applyPaymentFact(order, statusFact("confirming")).flags).toEqual([]);
  });

  test("adds the flag to a success that is known", () => {
    const known = applyPaymentFact(paid, shown);
    expect(known).toMatchObject({ kind: "known", flags: ["refunded"] });
    expect(known.aggregate).toMatchObject({ refundReport: refunding, flags: ["refunded"] });
    expect(applyPaymentFact(known.aggregate, shown).aggregate).toBe(known.aggregate);
  });

  test("adds no flag if a callback has told the refund", () => {
    const told = applyRefundFact(linkedPayment(), refundFact(), paid).aggregate;
    const done = successFact({ ...shown, refundStatus: "refund_success" });
    const known = applyPaymentFact(paid, done, { payments: [told] });
    expect(known).toMatchObject({ kind: "known", flags: [] });
    expect(known.aggregate).toBe(paid);
  });

  test("is not flagged if the refund failed: it may be shipped", () => {
    const failed = successFact({ ...shown, refundStatus: "refund_failed" });
    for (const order of [anOrder({ expected }), paid]) {
      const applied = applyPaymentFact(order, failed);
      expect(applied.flags).toEqual([]);
      expect(applied.aggregate).toMatchObject({ refundReport: { status: "refund_failed" } });
    }
  });
});

describe("a success after a refund that a callback told", () => {
  const order = anOrder({ expected, paymentIds: ["P1"] });
  const refund = (overrides: Partial<RefundFact> = {}) => refundFact(overrides);
  const failed = refund({ status: "refund_failed", type: "payment.refund.failed" });
  const paymentAfter = (...facts: RefundFact[]) =>
    facts.reduce(
      (payment, fact) => applyRefundFact(payment, fact, order).aggregate,
      linkedPayment(),
    );
  const flagsWith = (payment: Payment, before: Order = order) =>
    applyPaymentFact(before, successFact(), { payments: [payment] }).flags;

  test("is flagged, whichever success it is", () => {
    const payment = paymentAfter(refund());
    expect(flagsWith(payment)).toEqual(["refunded"]);
    const { aggregate } = applyPaymentFact(order, successFact({ transactionId: "T0" }));
    expect(flagsWith(payment, aggregate)).toContain("refunded");
  });

  test("is not flagged if the refund failed, or is another order's", () => {
    expect(flagsWith(paymentAfter(failed))).toEqual([]);
    expect(flagsWith(paymentAfter())).toEqual([]);
    const elsewhere = { ...paymentAfter(refund()), order: { orderNo: "B", expected } };
    expect(flagsWith(elsewhere)).toEqual([]);
  });

  test("is flagged although one of two refunds failed", () => {
    expect(flagsWith(paymentAfter(refund(), { ...failed, refundId: "R2" }))).toEqual(["refunded"]);
  });

  test.each([
    ["refunding", "before", ["refunded"]],
    ["refunding", "after", []],
    ["refund_success", "before", ["refunded"]],
    ["refund_success", "after", ["refunded"]],
  ] as const)(
    "of which a query said %s, is flagged by what is known: a failure %s it",
    (status, when, flags) => {
      const { learnedAtMilliseconds } = failed;
      const payment = paymentAfter(failed);
      const told = learnedAtMilliseconds + (when === "before" ? 1 : -1);
      const answered = withRefundAnswer(order, when === "before" ? [payment] : [], status, told);
      expect(flagsWith(payment, answered)).toEqual(flags);
    },
  );
});
