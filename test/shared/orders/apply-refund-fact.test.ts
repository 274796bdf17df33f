import { describe, expect, test } from "vitest";
import type { RefundFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import { linkPayment } from "../../../shared/orders/creation-store.ts";
import {
  type Payment,
  paymentSchema,
  refundedTotal,
  refundsOf,
} from "../../../shared/orders/payment.ts";
import {
  anOrder,
  aPayment,
  expected,
  linkedPayment,
  refundFact,
  statusFact,
  successFact,
} from "./facts.ts";

const order = anOrder({ expected });
const paidOrder = applyPaymentFact(order, successFact()).aggregate;
const paymentAfter = (payment: Payment, ...facts: RefundFact[]): Payment =>
  facts.reduce((reduced, fact) => applyRefundFact(reduced, fact, paidOrder).aggregate, payment);

const failed = (over: Partial<RefundFact> = {}) =>
  refundFact({ status: "refund_failed", type: "payment.refund.failed", ...over });

describe("a refund", () => {
  test("is news once, whatever is reported about its transaction later", () => {
    const unreported = refundFact({ transactionId: undefined });
    const payment = paymentAfter(linkedPayment(), unreported);
    const again = applyRefundFact(payment, refundFact({ transactionId: "T9" }));
    expect(again).toMatchObject({ kind: "known", flags: [] });
    expect(again.aggregate.refunds["R1"]).toMatchObject({ transactionId: "T9" });
    expect(again.aggregate.sequence).toBe(1);
    for (const repeat of [unreported, refundFact({ transactionId: "T8" })]) {
      expect(applyRefundFact(again.aggregate, repeat).aggregate).toBe(again.aggregate);
    }
  });

  test("of a payment that is not linked has no currency, and is flagged", () => {
    const applied = applyRefundFact(aPayment(), refundFact());
    expect(applied.flags).toEqual(["unknownOrder"]);
    expect(applied.aggregate.refunds["R1"]!.amount).toEqual({ value: "2.5" });
    expect(refundedTotal(applied.aggregate)).toBeUndefined();
  });

  test("only moves up: a failure after the success is published and changes nothing", () => {
    const done = paymentAfter(linkedPayment(), refundFact());
    const late = applyRefundFact(done, failed());
    expect(late).toMatchObject({ kind: "news", flags: ["regressed"] });
    expect(late.aggregate.refunds["R1"]!.status).toBe("refund_success");
  });

  test("keeps details of an earlier fact that the next one does not repeat", () => {
    const payment = paymentAfter(
      linkedPayment(),
      failed({ refundNo: "N1", createdAtMilliseconds: 0 }),
      refundFact({ transactionId: undefined }),
    );
    const createdAt = "1970-01-01T00:00:00.000Z";
    expect(payment.refunds["R1"]).toMatchObject({ refundNo: "N1", transactionId: "T2", createdAt });
    const bare = applyRefundFact(linkedPayment(), failed({ amount: undefined }));
    expect(bare.aggregate.refunds["R1"]!.amount).toBeUndefined();
  });

  test("reported again with another amount is contradicted", () => {
    const payment = paymentAfter(linkedPayment(), refundFact());
    const again = applyRefundFact(payment, refundFact({ amount: { value: "3.5" } }));
    expect(again).toMatchObject({ kind: "known", flags: ["contradicted"] });
    const third = applyRefundFact(again.aggregate, refundFact({ amount: { value: "3.5" } }));
    expect(third.aggregate).toBe(again.aggregate);
    const same = applyRefundFact(payment, refundFact({ amount: { value: "2.50" } }));
    expect(same).toMatchObject({ kind: "known", flags: [] });
    const unpaid = paymentAfter(linkedPayment(), failed());
    const other = applyRefundFact(unpaid, failed({ amount: { value: "3.5" } }));
    expect(other).toMatchObject({ kind: "known", flags: ["contradicted"] });
  });

  test("with more decimals than the currency is kept as sent, as a mismatch", () => {
    const applied = applyRefundFact(linkedPayment(), refundFact({ amount: { value: "1.005" } }));
    expect(applied.flags).toEqual(["mismatch"]);
    expect(applied.aggregate.refunds["R1"]!.amount).toEqual({ value: "1.005" });
    expect(refundedTotal(applied.aggregate)?.minor).toBe("0");
  });

  test("may bring the sum over the limit of a single amount", () => {
    const huge = { value: "9".repeat(18) };
    const payment = paymentAfter(
      linkedPayment(),
      refundFact({ amount: huge }),
      refundFact({ refundId: "R2", amount: huge }),
      refundFact({ refundId: "R3" }),
    );
    expect(refundedTotal(payment)).toMatchObject({ value: "2000000000000000000.50" });
  });

  test("has an id of any name", () => {
    const payment = paymentAfter(linkedPayment(), refundFact({ refundId: "constructor" }));
    expect(refundedTotal(payment)).toMatchObject({ value: "2.50" });
    const stored = JSON.parse(JSON.stringify(payment));
    expect(paymentSchema.parse(stored)).toEqual(stored);
  });
});

describe("more refunded than was paid", () => {
  const half = (refundId: string) => refundFact({ refundId, amount: { value: "6.26" } });

  test("is a mismatch with the refund that exceeds it", () => {
    const first = applyRefundFact(linkedPayment(), half("R1"), paidOrder);
    const second = applyRefundFact(first.aggregate, half("R2"), paidOrder);
    expect([first.flags, second.flags]).toEqual([[], ["mismatch"]]);
  });

  test("is any refund of an order that failed, and none of an order that is open", () => {
    const failedOrder = applyPaymentFact(order, statusFact("failed")).aggregate;
    expect(applyRefundFact(linkedPayment(), refundFact(), failedOrder).flags).toEqual(["mismatch"]);
    expect(applyRefundFact(linkedPayment(), failed(), failedOrder).flags).toEqual([]);
    const large = refundFact({ amount: { value: "99" } });
    expect(applyRefundFact(linkedPayment(), large, order).flags).toEqual([]);
  });

  test("is no matter of a refund of exactly what was paid, at once or in parts", () => {
    const whole = refundFact({ amount: { value: expected.value } });
    expect(applyRefundFact(linkedPayment(), whole, paidOrder).flags).toEqual([]);
    const parts = ["R1", "R2"].map((refundId) =>
      refundFact({ refundId, amount: { value: "6.25" } }),
    );
    expect(paymentAfter(linkedPayment(), ...parts).flags).toEqual([]);
  });

  test("is noticed when the payment is linked only later", () => {
    const early = paymentAfter(aPayment(), half("R1"), half("R2"));
    expect(early.flags).toEqual(["unknownOrder"]);
    const link = linkPayment(early, paidOrder);
    expect(link).toMatchObject({ kind: "linked", mismatch: true });
    expect(link.kind === "linked" && link.payment.flags).toEqual(["mismatch"]);
    expect(linkPayment(early, order)).toMatchObject({ kind: "linked", mismatch: false });
  });

  test("is no concern of a refund that failed: it moved no money", () => {
    const exceeded = paymentAfter(linkedPayment(), half("R1"), half("R2"));
    expect(applyRefundFact(exceeded, failed({ refundId: "R3" }), paidOrder).flags).toEqual([]);
    const odd = failed({ refundId: "R4", amount: { value: "1.234" } });
    expect(applyRefundFact(linkedPayment(), odd).flags).toEqual([]);
  });

  test("does not count refunds that failed", () => {
    const other = failed({ ...half("R2"), status: "refund_failed" });
    const payment = paymentAfter(linkedPayment(), other, half("R1"));
    expect(payment.flags).toEqual([]);
    const inOrder = paymentAfter(linkedPayment(), half("R1"), other);
    for (const candidate of [payment, inOrder]) {
      expect(refundsOf(candidate).map(({ refundId }) => refundId)).toEqual(["R1", "R2"]);
    }
  });
});

describe("linking a payment to its order", () => {
  test("gives the refunds that came first their currency, and changes no sequence", () => {
    const early = paymentAfter(aPayment(), refundFact({ noted: ["unreadableTime"] }));
    const link = linkPayment(early, order);
    if (link.kind !== "linked") throw new Error("not linked");
    expect(link.mismatch).toBe(false);
    expect(link.payment).toMatchObject({ sequence: 1, order: { orderNo: "A" } });
    expect(link.payment.flags).toEqual(["unreadableTime"]);
    expect(link.payment.refunds["R1"]!.amount).toMatchObject({ minor: "250", currency: "EUR" });
  });

  test("is a mismatch where a refund does not fit the currency", () => {
    const early = paymentAfter(aPayment(), refundFact({ amount: { value: "0.001" } }));
    expect(linkPayment(early, order)).toMatchObject({ mismatch: true });
  });

  test("may be repeated by the same order, and never takes a payment from another", () => {
    const linked = linkedPayment();
    expect(linkPayment(linked, order)).toMatchObject({ kind: "linked" });
    expect(linkPayment(linked, { ...order, orderNo: "B" })).toEqual({ kind: "claimed" });
    expect(linkPayment(aPayment(), anOrder())).toEqual({ kind: "claimed" });
  });
});
