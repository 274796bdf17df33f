import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusalCodes } from "../../simulator/orders/refusal.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { createBody, createdPayment, post, query } from "./storefront.ts";
import { newTestMerchant, sealRequest } from "./test-merchant.ts";

const merchant = newTestMerchant();
const other = newTestMerchant({}, { merchantId: "another-merchant" });
let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ merchants: [merchant.service, other.service], clockSpeed: 0 });
});
afterAll(() => simulator.stop());

describe("a query", () => {
  test.each([
    ["/payment/api/v1/payment-order/query"],
    ["/cgi/payment/api/v1/payment-order/query"],
    ["/api/v1/gateway"],
  ])("is answered at %s", async (path) => {
    const paymentId = await createdPayment(simulator, merchant);
    const envelope = sealRequest(merchant, "service.trade.query", { paymentId });
    expect(await post(simulator.url + path, envelope)).toMatchObject({
      data: { status: "pending" },
    });
  });

  test("of a pending payment tells neither a transaction nor a paid amount", async () => {
    const paymentTime = Date.now();
    const body = createBody({ paymentTime }, { orderNo: "PENDING" });
    const { data } = await query(
      simulator,
      merchant,
      await createdPayment(simulator, merchant, body),
    );
    expect(data).toEqual({
      status: "pending",
      merchantId: merchant.merchantId,
      referOrderNo: "PENDING",
      currency: "EUR",
      paymentTime,
    });
  });

  test("follows a payment from confirming to success", async () => {
    const paymentId = await createdPayment(simulator, merchant);
    simulator.pay(paymentId);
    expect((await query(simulator, merchant, paymentId)).data).toMatchObject({
      status: "confirming",
    });
    simulator.stepClock(2);
    await simulator.settled();
    const { data } = await query(simulator, merchant, paymentId);
    expect(data).toMatchObject({ status: "success", payAmount: 25, paidTime: expect.any(Number) });
    expect(String(data?.["transactionId"])).toMatch(/^[0-9A-Z]{1,30}$/);
  });

  test("of a failed payment tells the reason", async () => {
    const paymentId = await createdPayment(simulator, merchant);
    simulator.fail(paymentId);
    simulator.stepClock(2);
    await simulator.settled();
    const { data } = await query(simulator, merchant, paymentId);
    expect(data).toMatchObject({ status: "failed", msg: "the payment was declined" });
    expect(data).not.toHaveProperty("payAmount");
  });

  test("of an order whose time is over tells timeout, and not a second earlier", async () => {
    const body = createBody({ paymentExpiryTime: Date.now() + 6 * 60_000 });
    const paymentId = await createdPayment(simulator, merchant, body);
    simulator.stepClock(350);
    await simulator.settled();
    expect((await query(simulator, merchant, paymentId)).data).toMatchObject({ status: "pending" });
    simulator.stepClock(10);
    await simulator.settled();
    const { data } = await query(simulator, merchant, paymentId);
    expect(data).toMatchObject({ status: "timeout", msg: expect.stringMatching(/./) });
  });

  test("of a payment that is being confirmed does not time out meanwhile", async () => {
    const paymentId = await createdPayment(simulator, merchant);
    simulator.pay(paymentId);
    simulator.stepClock(86_400);
    await simulator.settled();
    expect((await query(simulator, merchant, paymentId)).data).toMatchObject({ status: "success" });
  });

  test("names the refund once there is one, and a refund can be asked for itself", async () => {
    const paymentId = await createdPayment(simulator, merchant);
    simulator.pay(paymentId);
    simulator.stepClock(2);
    await simulator.settled();
    const refundId = simulator.refund(paymentId, { amount: "5", referRefundNo: "BACK-1" });
    const payment = await query(simulator, merchant, paymentId);
    expect(payment.data).toMatchObject({
      status: "success",
      referOrderNo: "BACK-1",
      payAmount: 25,
    });
    const refund = await query(simulator, merchant, refundId);
    expect(refund.data).toMatchObject({
      status: "refunding",
      referOrderNo: "BACK-1",
      payAmount: 5,
    });
  });

  test("is refused for a payment nobody made, or another merchant's", async () => {
    const paymentId = await createdPayment(simulator, merchant);
    for (const answer of [
      await query(simulator, merchant, "0".repeat(32)),
      await query(simulator, other, paymentId),
    ]) {
      expect(answer.code).toBe(refusalCodes.unknownPayment);
    }
  });

  test.each([[undefined], [17], [""], ["1".repeat(33)]])(
    "is refused for the paymentId %o",
    async (paymentId) => {
      expect((await query(simulator, merchant, paymentId)).code).toBe(refusalCodes.bodyField);
    },
  );
});
