import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { type CallbackReceiver, startReceiver } from "./callback-receiver.ts";
import { control, createBody, createdPayment } from "./storefront.ts";
import { newTestMerchant, openCallback } from "./test-merchant.ts";

const merchant = newTestMerchant();
let simulator: Simulator;
let receiver: CallbackReceiver;
let paymentId: string;

beforeAll(async () => {
  receiver = await startReceiver();
  simulator = await startSimulator({ merchants: [merchant.service], clockSpeed: 0 });
});
afterAll(async () => {
  await simulator.stop();
  await receiver.stop();
});

async function step(seconds: number): Promise<void> {
  simulator.stepClock(seconds);
  await simulator.settled();
}

beforeEach(async () => {
  const body = createBody({ callbackUrl: receiver.url });
  paymentId = await createdPayment(simulator, merchant, body);
  simulator.pay(paymentId);
  await step(2);
  receiver.received.length = 0;
});

const results = () => receiver.received.map(({ body }) => openCallback(merchant, body));
const events = () => receiver.received.map(({ body }) => JSON.parse(body).eventName);

describe("a refund", () => {
  test("is reported with the result object of the interface", async () => {
    const refundId = simulator.refund(paymentId, { amount: "10.00", referRefundNo: "BACK-1" });
    expect(simulator.order(paymentId).refunds).toMatchObject([{ status: "refunding" }]);
    await step(2);
    expect(events()).toEqual(["payment.refund.success"]);
    expect(results()).toEqual([
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

  test("that fails tells the reason, and frees its amount again", async () => {
    simulator.refund(paymentId, { outcome: "failed" });
    expect(simulator.order(paymentId).refundable).toBe("0.00");
    await step(2);
    expect(events()).toEqual(["payment.refund.failed"]);
    expect(results()).toMatchObject([{ status: "refund_failed", msg: "the refund was declined" }]);
    expect(simulator.order(paymentId).refundable).toBe("25.00");
  });

  test("can be partial and repeated, to the cent and never beyond what was paid", async () => {
    for (const amount of ["0.10", "0.20", "24.69"]) simulator.refund(paymentId, { amount });
    expect(simulator.order(paymentId).refundable).toBe("0.01");
    expect(() => simulator.refund(paymentId, { amount: "0.02" })).toThrow("at most 0.01");
    simulator.refund(paymentId, { amount: "0.01" });
    expect(() => simulator.refund(paymentId, { amount: "0.01" })).toThrow("at most 0.00");
    await step(2);
    expect(events()).toEqual(Array.from({ length: 4 }, () => "payment.refund.success"));
  });

  test.each([["0"], ["-1"], ["1e1"], ["1.001"], ["a lot"]])("of %s is refused", (amount) => {
    expect(() => simulator.refund(paymentId, { amount })).toThrow("amount must be");
  });

  test("of an order that is not paid is refused", async () => {
    const pending = await createdPayment(simulator, merchant);
    expect(() => simulator.refund(pending, { amount: "1" })).toThrow("pending, not paid");
  });

  test("is started by the control API, which tells why it will not", async () => {
    const started = await control(simulator, "POST", `/orders/${paymentId}/refund`, {
      amount: "25",
    });
    expect(started).toMatchObject({ status: 200, body: { refunds: [{ amount: "25.00" }] } });
    const refused = await control(simulator, "POST", `/orders/${paymentId}/refund`, {
      amount: "1",
    });
    expect(refused).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining("at most") },
    });
  });
});
