import { expect, test } from "vitest";
import { eventsOf } from "../integration/flow.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();

test("an order is created, paid, told and refunded, and its status is right all along", async () => {
  const { simulator, ...shop } = await makeShop();
  const body = orderBody({ redirectUrl: "https://shop.example/thanks" });
  const orderNo = orderNoOf(body);

  const created = await shop.create(body);
  const paymentId = String(created.body["paymentId"]);
  const checkoutUrl = `${simulator.url}/checkout/${paymentId}`;
  const payment = { paymentId, referOrderNo: orderNo, channel: "WEB", checkoutUrl };
  expect(created.status).toBe(201);
  expect(created.headers.get("content-type")).toBe("application/json");
  expect(created.headers.get("cache-control")).toBe("no-store");
  expect(created.body).toEqual({ ...payment, status: "pending" });
  expect(simulator.orders()).toMatchObject([
    {
      paymentId,
      orderNo,
      amount: "25.00",
      currency: "EUR",
      callbackUrl: `${shop.url}/callbacks`,
      redirectUrl: "https://shop.example/thanks",
      expiresInSeconds: expect.closeTo(1800, -1),
    },
  ]);

  const amount = { value: "25.00", minor: "2500", currency: "EUR" };
  expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
    merchantId: shop.world.merchant.merchantId,
    orderNo,
    paymentId,
    paymentIds: [paymentId],
    status: "pending",
    statusOrigin: "create",
    stale: false,
    outcomeUnknown: false,
    amount,
    checkoutUrl,
    refunds: [],
    flags: [],
    sequence: 0,
  });

  await shop.pay(paymentId);
  const paid = await shop.get(`/payments/${paymentId}`);
  expect(paid.body).toMatchObject({
    orderNo,
    status: "success",
    statusOrigin: "callback",
    statusAt: expect.stringMatching(/^20\d\d-.*Z$/),
    transactionId: simulator.order(paymentId).transactionId,
    paidAmount: amount,
    completedAt: expect.any(String),
    flags: [],
    sequence: 2,
  });
  expect(await shop.create(body)).toMatchObject({
    status: 200,
    body: { ...payment, status: "success" },
  });

  const refundId = simulator.refund(paymentId, { amount: "5.00" });
  simulator.stepClock(2);
  await simulator.settled();
  await shop.pump();
  expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
    status: "success",
    refunds: [{ refundId, paymentId, status: "refund_success", amount: { value: "5.00" } }],
    refundedAmount: { value: "5.00", minor: "500", currency: "EUR" },
    sequence: 3,
  });
  const events = (await eventsOf(shop.world, "books")).sort((one, other) =>
    one.sequence.localeCompare(other.sequence),
  );
  expect(events.map(({ type, subject, origin }) => [type, subject, origin])).toEqual([
    ["payment.order.confirming", orderNo, "callback"],
    ["payment.order.success", orderNo, "callback"],
    ["payment.refund.success", orderNo, "callback"],
  ]);
});
