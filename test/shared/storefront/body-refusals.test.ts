import { describe, expect, test } from "vitest";
import { type Fields, faultsOf, goods, orderBody, problemWith } from "./order-body.ts";

const cart = "🛒";

/** Where a field can stand in a body: its pointer, and a good body with these fields changed there. */
const places = {
  "": (changes: Fields) => orderBody(changes),
  "/order": (changes: Fields) => orderBody({}, changes),
  "/order/goods/0": (changes: Fields) => orderBody({}, { goods: [goods(changes)] }),
  "/order/shipping": (changes: Fields) =>
    orderBody({}, { shipping: { shipType: "SHIPPING", name: "A", ...changes } }),
};

const channel = 'must be one of "WEB", "APP".';
const currency = "must be a current ISO 4217 code in capitals, such as USD.";
const number = "must be a number, or a string that holds one.";
const time =
  "must be a time: milliseconds (13 digits) or seconds (10 digits) since 1970, or RFC 3339 with an offset.";
const unknown = "must be left out: there is no such field.";
const quantity = "must be a whole number, 1 or more.";
const dots = 'must not be "." or "..": no path can lead to it.';
const shipType = 'must be one of "SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON".';
const longUrl = `https://shop.example/${"x".repeat(2028)}`;

type Row = [place: keyof typeof places, what: string, field: Fields, sentence: string];

describe("a body is refused with a pointer and a sentence", () => {
  test.each<Row>([
    ["", "no order", { order: undefined }, "must be an object."],
    ["", "no channel", { channel: undefined }, channel],
    ["", "another channel", { channel: "web" }, channel],
    ["", "no amount", { paymentAmount: undefined }, number],
    ["", "an amount that is null", { paymentAmount: null }, number],
    ["", "no currency", { currency: undefined }, currency],
    ["", "a currency in small letters", { currency: "eur" }, currency],
    ["", "a currency that is gone", { currency: "DEM" }, currency],
    ["", "a time in tenths of seconds", { paymentTime: 17_947_057_650 }, time],
    ["", "a time without an offset", { paymentTime: "2026-11-15T01:22:45" }, time],
    ["", "a time in words", { paymentTime: "2026-11-15" }, time],
    ["", "an expiry that is no time", { paymentExpiryTime: "soon" }, time],
    ["", "a time that cannot be made text", { paymentExpiryTime: { toString: 1 } }, time],
    ["", "a callbackUrl that is no text", { callbackUrl: 7 }, "must be a string."],
    ["", "a long callbackUrl", { callbackUrl: longUrl }, "must be at most 2048 characters long."],
    ["", "a field that is not there", { payAmount: 10 }, unknown],
    ["", "a long redirectUrl", { redirectUrl: longUrl }, "must be at most 2048 characters long."],
    ["/order", "no order number", { orderNo: undefined }, "must be a string."],
    ["/order", "a number as order number", { orderNo: 7 }, "must be a string."],
    ["/order", "an empty order number", { orderNo: "" }, "must not be empty."],
    [
      "/order",
      "a long order number",
      { orderNo: cart.repeat(65) },
      "must be at most 64 characters long.",
    ],
    ["/order", "an order number that is a dot", { orderNo: "." }, dots],
    ["/order", "an order number of two dots", { orderNo: ".." }, dots],
    ["/order", "half a character", { orderNo: "A\ud83d" }, "must be well-formed text."],
    [
      "/order",
      "a long description",
      { orderDescription: cart.repeat(257) },
      "must be at most 256 characters long.",
    ],
    ["/order", "no order amount", { orderAmount: undefined }, number],
    ...["tips", "discount", "insurance", "handlingFee", "shippingDiscount"].map(
      (name): Row => ["/order", `${name} that is true`, { [name]: true }, number],
    ),
    ["/order", "no goods", { goods: undefined }, "must be an array."],
    ["/order", "an empty list of goods", { goods: [] }, "must hold at least one good."],
    ["/order", "101 goods", { goods: Array(101).fill(goods()) }, "must hold at most 100 goods."],
    ["/order/goods/0", "no id of a good", { referenceGoodsId: undefined }, "must be a string."],
    [
      "/order/goods/0",
      "a long id of a good",
      { referenceGoodsId: "g".repeat(65) },
      "must be at most 64 characters long.",
    ],
    ["/order/goods/0", "no name of a good", { goodsName: "" }, "must not be empty."],
    ...["goodsName", "goodsDesc"].map(
      (name): Row => [
        "/order/goods/0",
        `a long ${name}`,
        { [name]: cart.repeat(257) },
        "must be at most 256 characters long.",
      ],
    ),
    ...[0, -1, 1.5, "0", "2.0", "two", true, { toString: 1 }].map(
      (goodsQuantity): Row => [
        "/order/goods/0",
        `a quantity of ${JSON.stringify(goodsQuantity)}`,
        { goodsQuantity },
        quantity,
      ],
    ),
    ["/order/shipping", "another way of shipping", { shipType: "DRONE" }, shipType],
    ["/order/shipping", "shipping to nobody", { name: undefined }, "must be a string."],
    ["/order/shipping", "an empty name to ship to", { name: "" }, "must not be empty."],
    ["/order/shipping", "half a character", { address: "\ud83d" }, "must be well-formed text."],
    ["/order/shipping", "a field that is not there", { phone: "1" }, unknown],
  ])("in %j for %s", (place, _case, field, sentence) => {
    const pointer = `${place}/${Object.keys(field)[0]}`;
    const name = pointer.slice(1).replaceAll("/", ".");
    expect(faultsOf(places[place](field))).toEqual([`${pointer}: ${name} ${sentence}`]);
  });

  test("for a name with slashes and tildes, which its pointer escapes", () => {
    const fault = "/a~1b~0c: a/b~c must be left out: there is no such field.";
    expect(faultsOf(orderBody({ "a/b~c": 1 }))).toEqual([fault]);
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
