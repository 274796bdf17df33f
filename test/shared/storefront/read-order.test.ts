import { describe, expect, test } from "vitest";
import { goods, minute, now, orderBody, read } from "./order-body.ts";

describe("an order that is read", () => {
  test("is what was sent, amounts as numbers, times filled in", () => {
    const shipping = { shipType: "PICKUP_IN_STORE", name: "Name", address: "Address", amount: "3" };
    const item = goods({ goodsAmount: "5.00", goodsQuantity: "2", tax: "0.50", goodsDesc: "Blue" });
    const more = { tips: 1, discount: "0.10", insurance: "0", handlingFee: 2, shippingDiscount: 3 };
    const order = { orderDescription: "Cups", totalTax: 1, ...more, shipping, goods: [item] };
    const { body } = read(
      orderBody({ paymentAmount: "10.50", redirectUrl: "myshop:x", channel: "APP" }, order),
    );
    expect(JSON.parse(JSON.stringify(body))).toEqual({
      order: {
        orderNo: "ORDER-1",
        orderAmount: 10,
        orderDescription: "Cups",
        tips: 1,
        discount: 0.1,
        totalTax: 1,
        insurance: 0,
        handlingFee: 2,
        shippingDiscount: 3,
        shipping: { ...shipping, amount: 3 },
        goods: [
          {
            referenceGoodsId: "cup",
            goodsName: "Cup",
            goodsDesc: "Blue",
            goodsAmount: 5,
            goodsQuantity: 2,
            tax: 0.5,
          },
        ],
      },
      channel: "APP",
      paymentAmount: 10.5,
      currency: "EUR",
      paymentTime: now,
      paymentExpiryTime: now + 30 * minute,
      redirectUrl: "myshop:x",
    });
  });

  test("has the exact amount and the expiry that are held against callbacks", () => {
    const order = read(
      orderBody({ paymentAmount: "10.5", paymentExpiryTime: String(now + 6 * minute) }),
    );
    expect(order).toMatchObject({
      merchantId: undefined,
      orderNo: "ORDER-1",
      channel: "WEB",
      amount: { value: "10.50", minor: "1050", currency: "EUR" },
      expiresAtMilliseconds: now + 6 * minute,
    });
  });

  test("expires half an hour after the payment time that it names", () => {
    const paymentTime = now + 60 * minute;
    expect(read(orderBody({ paymentTime })).expiresAtMilliseconds).toBe(paymentTime + 30 * minute);
  });
});

describe("the content by which a repeat is known", () => {
  const hashOf = (body: unknown, nowMilliseconds = now) =>
    read(body, { nowMilliseconds }).contentHash;
  const hash = hashOf(orderBody());

  test("is the same at another time, since times that are filled in are no part of it", () => {
    expect(hashOf(orderBody(), now + 7 * minute)).toBe(hash);
  });

  test("is the same in another order of the names and with other white space", () => {
    const { order, ...rest } = orderBody();
    expect(hashOf(JSON.stringify({ ...rest, order }, null, 2))).toBe(hash);
  });

  test.each([
    ["amount", orderBody({ paymentAmount: 10.01 })],
    ["currency", orderBody({ currency: "USD" })],
    ["channel", orderBody({ channel: "APP" })],
    ["description", orderBody({}, { orderDescription: "x" })],
    ["goods", orderBody({}, { goods: [goods({ goodsName: "Mug" })] })],
    ["payment time", orderBody({ paymentTime: now })],
    ["redirectUrl", orderBody({ redirectUrl: "https://shop.example/" })],
  ])("is another with another %s", (_, body) => {
    expect(hashOf(body)).not.toBe(hash);
  });

  test("tells goods in another order apart", () => {
    const [cup, mug] = [goods(), goods({ goodsName: "Mug" })];
    const body = (list: unknown[]) => orderBody({}, { orderAmount: 20, goods: list });
    expect(hashOf(body([cup, mug]))).not.toBe(hashOf(body([mug, cup])));
  });
});
