import { expect, test } from "vitest";
import { refusalCodes } from "../../../../tools/simulator/orders/refusal.ts";
import { runSimulator } from "../running-simulator.ts";
import { createdPayment, paths, post, query } from "../storefront.ts";
import { newTestMerchant, sealRequest } from "../test-merchant.ts";

const other = newTestMerchant({}, { merchantId: "another-merchant" });
const running = runSimulator();

test.each([paths.query, `/cgi${paths.query}`, paths.gateway])(
  "a query is answered at %s",
  async (path) => {
    const paymentId = await running.order();
    const envelope = sealRequest(running.merchant, "service.trade.query", { paymentId });
    const answer = await post(running.simulator.url + path, envelope);
    expect(answer).toMatchObject({ data: { status: "pending" } });
  },
);

test("a pending payment has no transaction and no paid amount", async () => {
  const paymentTime = Date.now();
  const paymentId = await running.order({ paymentTime }, { orderNo: "PENDING" });
  expect((await running.query(paymentId)).data).toEqual({
    status: "pending",
    merchantId: running.merchant.merchantId,
    referOrderNo: "PENDING",
    currency: "EUR",
    paymentTime,
  });
});

test("a query follows a payment from confirming to success", async () => {
  const paymentId = await running.order();
  running.simulator.pay(paymentId);
  expect((await running.query(paymentId)).data).toMatchObject({ status: "confirming" });
  await running.step(2);
  const { data } = await running.query(paymentId);
  expect(data).toMatchObject({ status: "success", payAmount: 25, paidTime: expect.any(Number) });
  expect(String(data?.["transactionId"])).toMatch(/^[0-9A-Z]{1,30}$/);
});

test("a failed payment has a reason and no paid amount", async () => {
  const paymentId = await running.order();
  running.simulator.fail(paymentId);
  await running.step(2);
  const { data } = await running.query(paymentId);
  expect(data).toMatchObject({ status: "failed", msg: "the payment was declined" });
  expect(data).not.toHaveProperty("payAmount");
});

test("an order expires at its expiry time and not before, unless it is confirming", async () => {
  const expiring = await running.order({ paymentExpiryTime: Date.now() + 6 * 60_000 });
  const confirming = await running.order({ paymentExpiryTime: Date.now() + 6 * 60_000 });
  const statusOf = async (paymentId: string) => (await running.query(paymentId)).data?.["status"];
  await running.step(350);
  running.simulator.pay(confirming);
  expect(await statusOf(expiring)).toBe("pending");
  await running.step(10);
  expect([await statusOf(expiring), await statusOf(confirming)]).toEqual(["timeout", "success"]);
});

test("a query names the refund if there is one, and a refund can be queried itself", async () => {
  const paymentId = await running.paidOrder();
  const wanted = { amount: "5", referRefundNo: "BACK-1" };
  const refundId = running.simulator.refund(paymentId, wanted);
  const named = { referOrderNo: "BACK-1" };
  const payment = { ...named, status: "success", payAmount: 25 };
  const refund = { ...named, status: "refunding", payAmount: 5 };
  expect((await running.query(paymentId)).data).toMatchObject(payment);
  expect((await running.query(refundId)).data).toMatchObject(refund);
});

test("a query of a payment with a refund is answered with the refund's status, if it is so set", async () => {
  await running.stop();
  await running.start({ refundedPayments: "refund" });
  const paymentId = await running.paidOrder();
  expect((await running.query(paymentId)).data).toMatchObject({ status: "success" });
  running.simulator.refund(paymentId, { amount: "5", referRefundNo: "BACK-1" });
  const answer = { referOrderNo: "BACK-1", payAmount: 25 };
  expect((await running.query(paymentId)).data).toMatchObject({ ...answer, status: "refunding" });
  await running.step(2);
  const { data } = await running.query(paymentId);
  expect(data).toMatchObject({ ...answer, status: "refund_success" });
});

test("a payment that is unknown or another merchant's is refused", async () => {
  const both = { merchants: [running.merchant.service, other.service] };
  await running.stop();
  await running.start(both);
  const paymentId = await createdPayment(running.simulator, running.merchant);
  for (const answer of [
    await running.query("0".repeat(32)),
    await query(running.simulator, other, paymentId),
  ]) {
    expect(answer.code).toBe(refusalCodes.unknownPayment);
  }
});
