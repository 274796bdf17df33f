import { expect, test } from "vitest";
import { orderViewSchema } from "../../shared/storefront/order-view.ts";
import { eventsOf } from "../integration/flow.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();
const amount = { value: "25.00", minor: "2500", currency: "EUR" };

test("an order is created, paid, reported and refunded, and its status is right all along", async () => {
  const { simulator, ...shop } = await makeShop();
  const body = orderBody({ redirectUrl: "https://shop.example/thanks" });
  const orderNo = orderNoOf(body);

  const created = await shop.create(body);
  const paymentId = String(created.body["paymentId"]);
  const checkoutUrl = `${simulator.url}/checkout/${paymentId}`;
  expect(created.status).toBe(201);
  expect(created.headers.get("content-type")).toBe("application/json");
  expect(created.headers.get("cache-control")).toBe("no-store");
  expect(created.headers.get("location")).toBe(`/orders/${orderNo}`);
  expect(orderViewSchema.parse(created.body)).toEqual(created.body);
  expect(created.body).toMatchObject({
    merchantId: shop.world.merchant.merchantId,
    orderNo,
    channel: "WEB",
    paymentId,
    payments: [{ paymentId, sequence: 0 }],
    callbackUrl: `${shop.url}/callbacks`,
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
  const location = String(created.headers.get("location"));
  expect((await shop.get(location)).body).toEqual(created.body);

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

  const refundId = simulator.refund(paymentId, { amount: "5.00" });
  simulator.jumpClock(2);
  await simulator.settled();
  await shop.pump();
  const refunded = await shop.get(`/orders/${orderNo}`);
  expect(refunded.body).toMatchObject({
    status: "success",
    refunds: [{ refundId, paymentId, status: "refund_success", amount: { value: "5.00" } }],
    refundedAmount: { value: "5.00", minor: "500", currency: "EUR" },
    sequence: 2,
    payments: [{ paymentId, sequence: 1 }],
  });
  const repeated = await shop.create(body);
  expect(repeated).toMatchObject({ status: 200, body: refunded.body });
  expect(repeated.headers.get("location")).toBeNull();
  const events = await eventsOf(shop.world, "books");
  expect(events.map(({ type, subject, origin }) => [type, subject, origin]).sort()).toEqual([
    ["payment.order.confirming", orderNo, "callback"],
    ["payment.order.success", orderNo, "callback"],
    ["payment.refund.success", orderNo, "callback"],
  ]);
});

test("the time of its creation is the one that was sent, before and after the first callback", async () => {
  const shop = await makeShop();
  const paymentTime = Date.now() - 5_000;
  const createdAt = new Date(paymentTime).toISOString();
  const created = await shop.create(orderBody({ paymentTime }));
  expect(created.body).toMatchObject({ status: "pending", createdAt });
  await shop.pay(String(created.body["paymentId"]));
  const paid = await shop.get(String(created.headers.get("location")));
  expect(paid.body).toMatchObject({ status: "success", createdAt });
});

test("the interface's own create body is taken as it is, with the stack's own callbackUrl", async () => {
  const shop = await makeShop();
  const now = Date.now();
  const goods = { referenceGoodsId: "g", goodsName: "Good", goodsUnitAmount: "5.00", tax: "0.50" };
  const order = {
    orderNo: `S-${now}`,
    orderAmount: "10.00",
    tips: "0",
    discount: "0",
    totalTax: "1.00",
    insurance: "0",
    handlingFee: "0",
    shippingDiscount: "0",
    orderDescription: "Goods",
    shipping: { shipType: "SHIPPING", amount: "0", name: "Receiver", address: "Address" },
    goods: [{ ...goods, goodsDesc: "Desc", goodsQuantity: "2" }],
  };
  const body = {
    order,
    channel: "APP",
    paymentAmount: "10.00",
    currency: "USD",
    paymentTime: now,
    paymentExpiryTime: now + 600_000,
    callbackUrl: "https://merchant.example/webhook",
    redirectUrl: "https://anywhere.example/result",
  };
  const created = await shop.create(body);
  const callbackUrl = `${shop.url}/callbacks`;
  expect(created).toMatchObject({ status: 201, body: { channel: "APP", callbackUrl } });
  const [sent] = shop.simulator.orders();
  expect(sent).toMatchObject({ callbackUrl, redirectUrl: body.redirectUrl });

  const { callbackUrl: _callbackUrl, ...without } = body;
  const elsewhere = { ...body, callbackUrl: "https://other.example/" };
  for (const repeat of [body, without, elsewhere]) {
    expect(await shop.create(repeat)).toMatchObject({ status: 200, body: { callbackUrl } });
  }
  expect(JSON.stringify(await shop.get(`/orders/${order.orderNo}`))).not.toContain(
    "merchant.example",
  );
  expect(shop.simulator.orders()).toHaveLength(1);
});
