import { describe, expect, test } from "vitest";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { anOrder, expected, statusFact, successFact } from "./facts.ts";

describe("a success that a refund's status shows", () => {
  const shown = successFact({
    origin: "query",
    paymentId: "P7",
    transactionId: undefined,
    refundStatus: "refunding",
  });
  const paid = applyPaymentFact(anOrder({ expected }), successFact()).aggregate;

  test("is published with the flag, and the order keeps the status of the refund", () => {
    const applied = applyPaymentFact(anOrder({ expected }), shown);
    expect(applied).toMatchObject({ kind: "news", flags: ["refunded"] });
    expect(applied.aggregate).toMatchObject({ status: "success", refundStatus: "refunding" });
  });

  test("and a later callback with its transaction are one fact", () => {
    const order = applyPaymentFact(anOrder({ expected }), shown).aggregate;
    const again = applyPaymentFact(order, successFact());
    expect(again).toMatchObject({ kind: "known", flags: [] });
    expect(again.aggregate.payment.transactionId).toBe("T1");
    expect(again.aggregate).toMatchObject({ refundStatus: "refunding", flags: ["refunded"] });
  });

  test("with another amount is no success, but a later one has the flag", () => {
    const order = anOrder({ expected, refundStatus: "refund_success" });
    const applied = applyPaymentFact(order, successFact());
    expect(applied).toMatchObject({ kind: "news", flags: ["refunded"] });
    expect(applyPaymentFact(order, statusFact("failed")).flags).toEqual([]);
  });

  test("adds the flag to a success that is known", () => {
    const known = applyPaymentFact(paid, shown);
    expect(known).toMatchObject({ kind: "known", flags: ["refunded"] });
    expect(known.aggregate).toMatchObject({ refundStatus: "refunding", flags: ["refunded"] });
    expect(applyPaymentFact(known.aggregate, shown).aggregate).toBe(known.aggregate);
  });
});
