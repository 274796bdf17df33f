import { beforeEach, expect, test } from "vitest";
import { runSimulator } from "../running-simulator.ts";
import { control, createdPayment } from "../storefront.ts";

const running = runSimulator();
let paymentId: string;

beforeEach(async () => {
  paymentId = await running.paidOrder();
  running.forget();
});

test("a refund is reported with the result object of the interface", async () => {
  const { simulator, merchant } = running;
  const refundId = simulator.refund(paymentId, { amount: "10.00", referRefundNo: "BACK-1" });
  expect(simulator.order(paymentId).refunds).toMatchObject([{ status: "refunding" }]);
  await running.step(2);
  expect(running.events()).toEqual(["payment.refund.success"]);
  expect(running.results()).toEqual([
    {
      merchantId: merchant.merchantId,
      refundId,
      paymentId,
      referRefundNo: "BACK-1",
      transactionId: expect.any(String),
      refundAmount: 10,
      refundTime: expect.any(Number),
      completeTime: expect.any(Number),
      status: "refund_success",
    },
  ]);
});

test("a refund that fails has a reason, and its amount can be refunded again", async () => {
  const { simulator } = running;
  simulator.refund(paymentId, { outcome: "failed" });
  expect(simulator.order(paymentId).refundable).toBe("0.00");
  await running.step(2);
  expect(running.events()).toEqual(["payment.refund.failed"]);
  expect(running.results()).toMatchObject([
    { status: "refund_failed", msg: "the refund was declined" },
  ]);
  expect(simulator.order(paymentId).refundable).toBe("25.00");
});

test("refunds can be partial and repeated, never beyond what was paid", async () => {
  const { simulator } = running;
  for (const amount of ["0.10", "0.20", "24.69"]) simulator.refund(paymentId, { amount });
  expect(() => simulator.refund(paymentId, { amount: "0.02" })).toThrow("at most 0.01");
  simulator.refund(paymentId, { amount: "0.01" });
  await running.step(2);
  expect(running.events()).toEqual(Array.from({ length: 4 }, () => "payment.refund.success"));
});

test("an order that is not paid cannot be refunded", async () => {
  const pending = await createdPayment(running.simulator, running.merchant);
  expect(() => running.simulator.refund(pending, { amount: "1" })).toThrow("pending, not paid");
});

test("the control API starts a refund, or says why not", async () => {
  const refund = (amount: string) =>
    control(running.simulator, "POST", `/orders/${paymentId}/refund`, { amount });
  expect(await refund("25")).toMatchObject({ body: { refunds: [{ amount: "25.00" }] } });
  const error = expect.stringContaining("at most");
  expect(await refund("1")).toMatchObject({ status: 409, body: { error } });
});
