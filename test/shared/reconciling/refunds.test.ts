import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import { dueAfterFact, dueAtOnce } from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import { expected, linkedPayment, refundFact, successFact } from "../orders/facts.ts";
import { type Answer, dueOrder, minute, simulateRuns, start } from "./simulated-runs.ts";

const link = { order: { orderNo: "O", expected } };
const refunded = applyRefundFact(linkedPayment(link), refundFact()).aggregate;
const failed = applyRefundFact(
  linkedPayment(link),
  refundFact({ status: "refund_failed", type: "payment.refund.failed" }),
).aggregate;
const pending = { status: "pending" };

/** An open order is checked, whose payment has these refunds. */
async function check(answer: Answer, payment?: Payment, order: Order = dueOrder("O", 0)) {
  const runs = simulateRuns([order], answer, {
    loadPayments: async () => (payment === undefined ? [] : [payment]),
  });
  await runs.runAt(start);
  return runs;
}

describe("an open order whose refund a callback has told", () => {
  test.each([
    ["is pending", pending],
    ["is confirming", { status: "confirming" }],
    ["has that refund, without the amount", { status: "refund_success" }],
  ])("is a mismatch if the service says that it %s", async (_case, answer) => {
    const { order } = await check(() => answer, refunded);
    expect(order("O")).toMatchObject({ flags: ["mismatch"], isUnpaidDespiteRefund: true });
  });

  test("is none if it is paid, if the refund failed, or if there is no refund", async () => {
    const paid = { status: "success", payAmount: 12.5, currency: "EUR", transactionId: "T1" };
    expect((await check(() => paid, refunded)).order("O").flags).toEqual([]);
    expect((await check(() => pending, failed)).order("O").flags).toEqual([]);
    expect((await check(() => pending)).order("O").flags).toEqual([]);
  });

  test("is none as long as the service does not say how the payment is", async () => {
    const refusal = new GatewayError("refused", { refusal: { code: "1", msg: "no" } });
    for (const answer of [refusal, new GatewayError("timed-out"), { status: "strange" }]) {
      expect((await check(() => answer, refunded)).order("O").flags).toEqual([]);
    }
  });
});

describe("an open order whose refund a query tells first", () => {
  test("is asked about again by the next run, and is then a mismatch", async () => {
    const runs = await check(() => ({ status: "refunding", payAmount: 4, currency: "EUR" }));
    expect(runs.order("O")).toMatchObject({ flags: [], refundReport: { status: "refunding" } });
    expect(runs.order("O").dueAtMilliseconds).toBeLessThan(start + minute);
    await runs.runAt(start + minute);
    expect(runs.order("O").flags).toEqual(["mismatch"]);
    expect(runs.order("O").dueAtMilliseconds).toBeGreaterThan(start + 2 * minute);
  });

  test("is no mismatch if the refund has failed meanwhile", async () => {
    const answers = [{ status: "refunding" }, { status: "refund_failed" }, pending];
    const runs = await check(() => answers.shift()!);
    await runs.runAt(start + minute);
    expect(runs.order("O").refundReport?.status).toBe("refund_failed");
  });
});

describe("a paid order that an operator asks about", () => {
  const paid = (): Order => {
    const order = dueOrder("O", 0);
    const fact = successFact({ merchantId: "M1", orderNo: "O" });
    const { aggregate, flags } = applyPaymentFact(order, fact);
    return dueAtOnce(dueAfterFact(order, aggregate, flags, start), start);
  };

  test.each([
    ["that it is paid", { status: "success", payAmount: 12.5, currency: "EUR" }, true],
    ["the status of its refund", { status: "refunding" }, true],
    ["something else", pending, false],
  ])("is asked about once, if the service says %s", async (_case, answer, isConfirmation) => {
    const runs = await check(() => answer, undefined, paid());
    expect(runs.asked).toEqual(["P-O"]);
    expect(runs.order("O")).toMatchObject({ status: "success", question: { isConfirmation } });
    expect(runs.order("O").dueAtMilliseconds).toBeUndefined();
  });

  test("is not asked about again if the service does not respond", async () => {
    const runs = await check(() => new GatewayError("timed-out"), undefined, paid());
    expect(runs.order("O").dueAtMilliseconds).toBeUndefined();
  });
});
