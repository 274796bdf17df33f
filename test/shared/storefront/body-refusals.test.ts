import { describe, expect, test } from "vitest";
import {
  bodyWithGoods,
  type Fields,
  faultsOf,
  goods,
  now,
  orderBody,
  problemWith,
} from "./order-body.ts";

const cart = "🛒";

describe("a body is refused with a pointer and a sentence", () => {
  const number = "must be a number, or a string that holds one.";
  const time = "must be 13 digits, milliseconds since 1970.";
  const orderAmounts = ["tips", "discount", "insurance", "handlingFee", "shippingDiscount"];

  test.each<[what: string, body: Fields, fault: string]>([
    ["no order", orderBody({ order: undefined }), "/order: order must be an object."],
    [
      "no channel",
      orderBody({ channel: undefined }),
      '/channel: channel must be one of "WEB", "APP".',
    ],
    [
      "another channel",
      orderBody({ channel: "web" }),
      '/channel: channel must be one of "WEB", "APP".',
    ],
    [
      "no amount",
      orderBody({ paymentAmount: undefined }),
      `/paymentAmount: paymentAmount ${number}`,
    ],
    [
      "an amount that is null",
      orderBody({ paymentAmount: null }),
      `/paymentAmount: paymentAmount ${number}`,
    ],
    [
      "no currency",
      orderBody({ currency: undefined }),
      "/currency: currency must be a current ISO 4217 code in capitals, such as USD.",
    ],
    [
      "a currency in small letters",
      orderBody({ currency: "eur" }),
      "/currency: currency must be a current ISO 4217 code in capitals, such as USD.",
    ],
    [
      "a currency that is gone",
      orderBody({ currency: "DEM" }),
      "/currency: currency must be a current ISO 4217 code in capitals, such as USD.",
    ],
    [
      "a time in seconds",
      orderBody({ paymentTime: 1_794_705_765 }),
      `/paymentTime: paymentTime ${time}`,
    ],
    [
      "a time in words",
      orderBody({ paymentTime: "2026-11-15" }),
      `/paymentTime: paymentTime ${time}`,
    ],
    [
      "an expiry that is no time",
      orderBody({ paymentExpiryTime: "soon" }),
      `/paymentExpiryTime: paymentExpiryTime ${time}`,
    ],
    [
      "a time that cannot even be made text",
      orderBody({ paymentExpiryTime: { toString: 1 } }),
      `/paymentExpiryTime: paymentExpiryTime ${time}`,
    ],
    [
      "a quantity that cannot even be made text",
      bodyWithGoods({ goodsQuantity: { toString: 1 } }),
      "/order/goods/0/goodsQuantity: order.goods.0.goodsQuantity must be a whole number from 1.",
    ],
    [
      "a callbackUrl",
      orderBody({ callbackUrl: "https://shop.example/callbacks" }),
      "/callbackUrl: callbackUrl must be left out: the stack sets it.",
    ],
    [
      "a field that is not there",
      orderBody({ payAmount: 10 }),
      "/payAmount: payAmount must be left out: there is no such field.",
    ],
    [
      "a name with slashes and tildes",
      orderBody({ "a/b~c": 1 }),
      "/a~1b~0c: a/b~c must be left out: there is no such field.",
    ],
    [
      "no order number",
      orderBody({}, { orderNo: undefined }),
      "/order/orderNo: order.orderNo must be a string.",
    ],
    [
      "a number as order number",
      orderBody({}, { orderNo: 7 }),
      "/order/orderNo: order.orderNo must be a string.",
    ],
    [
      "an empty order number",
      orderBody({}, { orderNo: "" }),
      "/order/orderNo: order.orderNo must not be empty.",
    ],
    [
      "an order number that is too long",
      orderBody({}, { orderNo: cart.repeat(65) }),
      "/order/orderNo: order.orderNo must be at most 64 characters long.",
    ],
    [
      "half a character",
      orderBody({}, { orderNo: "A\ud83d" }),
      "/order/orderNo: order.orderNo must be well-formed text.",
    ],
    [
      "no order amount",
      orderBody({}, { orderAmount: undefined }),
      `/order/orderAmount: order.orderAmount ${number}`,
    ],
    ...orderAmounts.map((name): [string, Fields, string] => [
      `${name} that is true`,
      orderBody({}, { [name]: true }),
      `/order/${name}: order.${name} ${number}`,
    ]),
    [
      "a description that is too long",
      orderBody({}, { orderDescription: cart.repeat(257) }),
      "/order/orderDescription: order.orderDescription must be at most 256 characters long.",
    ],
    [
      "no goods",
      orderBody({}, { goods: undefined }),
      "/order/goods: order.goods must be an array.",
    ],
    [
      "an empty list of goods",
      orderBody({}, { goods: [] }),
      "/order/goods: order.goods must hold at least one good.",
    ],
    [
      "a hundred and one goods",
      orderBody({}, { orderAmount: 1010, goods: Array(101).fill(goods()) }),
      "/order/goods: order.goods must hold at most 100 goods.",
    ],
    [
      "goods without an id",
      bodyWithGoods({ referenceGoodsId: undefined }),
      "/order/goods/0/referenceGoodsId: order.goods.0.referenceGoodsId must be a string.",
    ],
    [
      "goods with an id that is too long",
      bodyWithGoods({ referenceGoodsId: "g".repeat(65) }),
      "/order/goods/0/referenceGoodsId: order.goods.0.referenceGoodsId must be at most 64 characters long.",
    ],
    [
      "goods without a name",
      bodyWithGoods({ goodsName: "" }),
      "/order/goods/0/goodsName: order.goods.0.goodsName must not be empty.",
    ],
    [
      "goods with a name that is too long",
      bodyWithGoods({ goodsName: cart.repeat(257) }),
      "/order/goods/0/goodsName: order.goods.0.goodsName must be at most 256 characters long.",
    ],
    [
      "goods with a description that is too long",
      bodyWithGoods({ goodsDesc: cart.repeat(257) }),
      "/order/goods/0/goodsDesc: order.goods.0.goodsDesc must be at most 256 characters long.",
    ],
    ...[0, -1, 1.5, "0", "2.0", "two", true].map((goodsQuantity): [string, Fields, string] => [
      `a quantity of ${JSON.stringify(goodsQuantity)}`,
      bodyWithGoods({ goodsQuantity }),
      "/order/goods/0/goodsQuantity: order.goods.0.goodsQuantity must be a whole number from 1.",
    ]),
    [
      "another way of shipping",
      orderBody({}, { shipping: { shipType: "DRONE", name: "A" } }),
      '/order/shipping/shipType: order.shipping.shipType must be one of "SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON".',
    ],
    [
      "shipping to nobody",
      orderBody({}, { shipping: { shipType: "SHIPPING" } }),
      "/order/shipping/name: order.shipping.name must be a string.",
    ],
    [
      "an empty name to ship to",
      orderBody({}, { shipping: { shipType: "SHIPPING", name: "" } }),
      "/order/shipping/name: order.shipping.name must not be empty.",
    ],
    [
      "half a character in the address",
      orderBody({}, { shipping: { shipType: "SHIPPING", name: "A", address: "\ud83d" } }),
      "/order/shipping/address: order.shipping.address must be well-formed text.",
    ],
    [
      "a shipping field that is not there",
      orderBody({}, { shipping: { shipType: "SHIPPING", name: "A", phone: "1" } }),
      "/order/shipping/phone: order.shipping.phone must be left out: there is no such field.",
    ],
    [
      "a redirectUrl that is too long",
      orderBody({ redirectUrl: `https://shop.example/${"x".repeat(2028)}` }),
      "/redirectUrl: redirectUrl must be at most 2048 characters long.",
    ],
  ])("for %s", (_, body, fault) => {
    expect(faultsOf(body)).toEqual([fault]);
  });

  test.each(["null", "[]", "7", '"order"', "true"])("for %s instead of an object", (json) => {
    expect(faultsOf(json)).toEqual([": The body must be an object."]);
  });

  test.each(["", "{", "order=1", '{"order":}', "\ufeff{}"])(
    "for text that is no JSON: %j",
    (json) => {
      expect(problemWith(json)).toEqual({
        type: "urn:paycast:problem:body-invalid",
        title: "The body is not a valid order",
        status: 400,
        detail: "Send the order as JSON.",
        errors: [{ pointer: "", detail: "The body is not JSON." }],
      });
    },
  );
});

describe("all faults of a body", () => {
  test("are told at once, each at its own place", () => {
    const json = JSON.stringify({
      merchantId: "nobody",
      order: {
        orderNo: "",
        orderAmount: "EXP",
        goods: [
          { referenceGoodsId: "g", goodsName: "n", goodsAmount: 1, goodsUnitAmount: 1 },
          { referenceGoodsId: "g", goodsName: "n", tax: -1, goodsQuantity: 0 },
          { referenceGoodsId: "g", goodsName: "n", goodsAmount: "ROUNDED" },
        ],
        shipping: { amount: 0.001, name: "n" },
        totalTax: "1.234",
      },
      paymentAmount: 0,
      currency: "EUR",
      paymentExpiryTime: now,
      redirectUrl: "https://evil.example/",
      callbackUrl: "https://evil.example/",
    })
      .replace('"EXP"', "1e1")
      .replace('"ROUNDED"', "0.1000000000000000055511151231257827");
    expect(faultsOf(json).map((fault) => fault.split(":")[0])).toEqual([
      "/order/orderNo",
      "/order/shipping/shipType",
      "/order/goods/1/goodsQuantity",
      "/channel",
      "/callbackUrl",
      "/merchantId",
      "/order/orderAmount",
      "/order/goods/2/goodsAmount",
      "/paymentAmount",
      "/order/totalTax",
      "/order/shipping/amount",
      "/order/goods/1/tax",
      "/order/goods/0/goodsUnitAmount",
      "/redirectUrl",
      "/paymentExpiryTime",
    ]);
    expect(problemWith(json).detail).toBe(
      "Fix the fields listed in `errors` and send the request again.",
    );
  });

  test("are counted, and listed up to a bound, so that the answer can be sent", () => {
    const fields = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 1]));
    const problem = problemWith(orderBody(fields));
    expect(problem.errors).toHaveLength(500);
    expect(problem.detail).toBe(
      "Fix the fields and send the request again. `errors` lists the first 500 of 20000 faults.",
    );
  });

  test("are told together with goods that are too many, whose own faults are not", () => {
    const list = Array(101).fill({ goodsName: 7, goodsAmount: "EXP", tax: -1 });
    const json = JSON.stringify({
      merchantId: "nobody",
      order: { orderNo: "", orderAmount: "-1", goods: list, shipping: { name: "n", amount: "x" } },
      channel: "FAX",
      paymentAmount: "EXP",
      currency: "EUR",
      paymentExpiryTime: now,
      redirectUrl: "https://evil.example/",
    }).replaceAll('"EXP"', "1e1");
    expect(faultsOf(json).map((fault) => fault.split(":")[0])).toEqual([
      "/order/orderNo",
      "/order/shipping/shipType",
      "/order/goods",
      "/channel",
      "/merchantId",
      "/paymentAmount",
      "/order/orderAmount",
      "/order/shipping/amount",
      "/redirectUrl",
      "/paymentExpiryTime",
    ]);
  });

  test("are told once each, also where an expiry is wrong twice over", () => {
    const body = orderBody({ channel: "FAX", paymentExpiryTime: "EXP" });
    const json = JSON.stringify(body).replace('"EXP"', "1.7e12");
    expect(faultsOf(json).map((fault) => fault.split(":")[0])).toEqual([
      "/channel",
      "/paymentExpiryTime",
    ]);
  });
});
