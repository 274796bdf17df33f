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
const required = "is required.";
const quantity = "must be a number above 0, with at most 15 digits.";
const receiver = "must be at most 1024 characters long.";
const control = "must not hold control characters.";
const dots = 'must not be "." or "..": no path can lead to it.';
const shipType = 'must be one of "SHIPPING", "PICKUP_IN_STORE", "PICKUP_FROM_PERSON".';
const longUrl = `https://shop.example/${"x".repeat(2028)}`;

/** A body with a text among its fields, which then has its names again. */
function withText(text: string): string {
  const { channel: _channel, currency, ...rest } = orderBody();
  const more = text.includes("currency") ? { channel: "WEB" } : { currency };
  return JSON.stringify({ ...rest, ...more }).replace(/}$/, () => `,${text}}`);
}

type Row = [place: keyof typeof places, what: string, field: Fields, sentence: string];

describe("a body is refused with a pointer and a sentence", () => {
  test.each<Row>([
    ["", "no order", { order: undefined }, required],
    ["", "no channel", { channel: undefined }, required],
    ["", "another channel", { channel: "web" }, channel],
    ["", "no amount", { paymentAmount: undefined }, required],
    ["", "an amount that is null", { paymentAmount: null }, required],
    ["", "no currency", { currency: undefined }, required],
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
    ["/order", "no order number", { orderNo: undefined }, required],
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
    ["/order", "NUL in an order number", { orderNo: "A\0" }, control],
    ["/order", "a line break in an order number", { orderNo: "A\nB" }, control],
    ["/order", "a C1 control in an order number", { orderNo: "A\u0085" }, control],
    ["/order", "half a character", { orderNo: "A\ud83d" }, "must be well-formed text."],
    [
      "/order",
      "a long description",
      { orderDescription: cart.repeat(257) },
      "must be at most 256 characters long.",
    ],
    ["/order", "no order amount", { orderAmount: undefined }, required],
    ...["tips", "discount", "insurance", "handlingFee", "shippingDiscount"].map(
      (name): Row => ["/order", `${name} that is true`, { [name]: true }, number],
    ),
    ["/order", "no goods", { goods: undefined }, required],
    ["/order", "an empty list of goods", { goods: [] }, "must hold at least one good."],
    ["/order", "101 goods", { goods: Array(101).fill(goods()) }, "must hold at most 100 goods."],
    ["/order/goods/0", "no id of a good", { referenceGoodsId: undefined }, required],
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
    ...[
      0,
      -1,
      5e-324,
      1e-15,
      1e21,
      1_234_567_890_123_456,
      "0",
      "0.0",
      "00.5",
      "1.",
      ".5",
      "1e3",
      "1.234567890123456",
      "two",
      true,
      { toString: 1 },
    ].map(
      (goodsQuantity): Row => [
        "/order/goods/0",
        `a quantity of ${JSON.stringify(goodsQuantity)}`,
        { goodsQuantity },
        quantity,
      ],
    ),
    ["/order/shipping", "another way of shipping", { shipType: "DRONE" }, shipType],
    ["/order/shipping", "shipping to nobody", { name: undefined }, required],
    ["/order/shipping", "an empty name to ship to", { name: "" }, "must not be empty."],
    ["/order/shipping", "a long name to ship to", { name: cart.repeat(1_025) }, receiver],
    ["/order/shipping", "a long address", { address: cart.repeat(1_025) }, receiver],
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

  test.each<[string, string, string[]]>([
    [
      "at the top",
      '"channel":"APP","channel":"WEB"',
      ["/channel: channel is named more than once."],
    ],
    [
      "spelled in two ways",
      '"channel":"APP","\\u0063hannel":"WEB"',
      ["/channel: channel is named more than once."],
    ],
    [
      "three times, of which one fault is enough",
      '"currency":"USD","currency":"USD","currency":"EUR"',
      ["/currency: currency is named more than once."],
    ],
  ])("for a name that comes again %s", (_case, text, faults) => {
    expect(faultsOf(withText(text))).toEqual(faults);
  });

  test.each<[string, string, string]>([
    ["in the order", '"orderAmount":10', "/order/orderAmount"],
    ["in a good", '"goodsName":"Cup"', "/order/goods/0/goodsName"],
  ])("for a name that comes again %s", (_case, text, pointer) => {
    const json = JSON.stringify(orderBody()).replace(text, () => `${text},${text}`);
    expect(faultsOf(json)).toEqual([
      `${pointer}: ${pointer.slice(1).replaceAll("/", ".")} is named more than once.`,
    ]);
  });

  test("for a name that comes again deeper than any field, at the deepest place that is named", () => {
    const json = JSON.stringify(orderBody({ more: "MARK" })).replace(
      '"MARK"',
      '{"a":{"b":{"c":{"d":1,"d":2}}}}',
    );
    expect(faultsOf(json)).toContain("/more/a/b/c: more.a.b.c holds a name more than once.");
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
        detail: "Send the order as JSON in UTF-8.",
        errors: [{ pointer: "", detail: "The body is not JSON." }],
      });
    },
  );
});
