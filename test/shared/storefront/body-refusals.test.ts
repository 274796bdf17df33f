import { describe, expect, test } from "vitest";
import { type Fields, faultsOf, orderBody, problemWith } from "./order-body.ts";

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
      "an order number that is a dot",
      orderBody({}, { orderNo: "." }),
      '/order/orderNo: order.orderNo must not be "." or "..": no path can lead to it.',
    ],
    [
      "an order number of two dots",
      orderBody({}, { orderNo: ".." }),
      '/order/orderNo: order.orderNo must not be "." or "..": no path can lead to it.',
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
