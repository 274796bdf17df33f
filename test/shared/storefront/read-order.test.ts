import { describe, expect, test } from "vitest";
import { differingFields } from "../../../shared/orders/content-digests.ts";
import { ProblemError } from "../../../shared/storefront/problem.ts";
import { requestText } from "../../../shared/storefront/read-order.ts";
import { thrownBy } from "../../builders/thrown-by.ts";
import {
  type Fields,
  faultsOf,
  goods,
  minute,
  now,
  orderBody,
  problemWith,
  read,
} from "./order-body.ts";
import { orderOf } from "./sound-order.ts";

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
  const contentOf = (body: unknown, nowMilliseconds = now) =>
    read(body, { nowMilliseconds }).content;
  const usual = orderBody(
    { paymentAmount: "10.00", redirectUrl: "https://shop.example/done" },
    { tips: "0.50", shipping: { shipType: "SHIPPING", name: "A" } },
  );
  const content = contentOf(usual);
  const withOrder = (changes: Fields) => ({ ...usual, order: { ...orderOf(usual), ...changes } });
  const differing = (body: unknown) => differingFields(content, contentOf(body));

  test.each<[string, unknown, number?]>([
    ["at another time", usual, now + 7 * minute],
    ["with times", { ...usual, paymentTime: now, paymentExpiryTime: now + 20 * minute }],
    ["with an amount in another spelling", { ...usual, paymentAmount: 10 }],
    ["with an amount of the order in another spelling", withOrder({ tips: 0.5 })],
    ["with a quantity in another spelling", withOrder({ goods: [goods({ goodsQuantity: "2" })] })],
    [
      "with the other name of an amount",
      withOrder({ goods: [goods({ goodsAmount: undefined, goodsUnitAmount: "5.0" })] }),
    ],
    ["with an empty description", withOrder({ orderDescription: "" })],
    ["with a description that is null", withOrder({ orderDescription: null })],
    ["with an empty description of a good", withOrder({ goods: [goods({ goodsDesc: "" })] })],
    [
      "with an empty address",
      withOrder({ shipping: { shipType: "SHIPPING", name: "A", address: "" } }),
    ],
    ["with the merchant named", { ...usual, merchantId: "M1" }],
    ["with another callbackUrl", { ...usual, callbackUrl: "https://shop.example/callbacks" }],
    ["with other white space", JSON.stringify(usual, null, 2)],
    ["with names in another order", Object.fromEntries(Object.entries(usual).reverse())],
  ])("is the same %s", (_case, body, nowMilliseconds) => {
    expect(contentOf(body, nowMilliseconds)).toEqual(content);
  });

  test.each<[string, unknown, string[]]>([
    ["amount", { ...usual, paymentAmount: 10.01 }, ["paymentAmount"]],
    ["currency", { ...usual, currency: "USD" }, ["currency"]],
    ["channel", { ...usual, channel: "APP" }, ["channel"]],
    ["redirectUrl", { ...usual, redirectUrl: "https://shop.example/" }, ["redirectUrl"]],
    ["redirectUrl left out", { ...usual, redirectUrl: undefined }, ["redirectUrl"]],
    ["description", withOrder({ orderDescription: "x" }), ["order.orderDescription"]],
    ["shipping", withOrder({ shipping: { shipType: "SHIPPING", name: "B" } }), ["order.shipping"]],
    ["tips", withOrder({ tips: undefined }), ["order.tips"]],
    ["goods", withOrder({ goods: [goods({ goodsName: "Mug" })] }), ["order.goods"]],
    ["channel and tips", { ...withOrder({ tips: 1 }), channel: "APP" }, ["channel", "order.tips"]],
  ])("differs with another %s, and names it", (_case, body, names) => {
    expect(differing(body)).toEqual(names);
  });

  test("tells goods in another order apart", () => {
    const [cup, mug] = [goods(), goods({ goodsName: "Mug" })];
    const list = (goodsList: unknown[]) => withOrder({ orderAmount: 20, goods: goodsList });
    const stored = contentOf(list([cup, mug]));
    expect(differingFields(stored, contentOf(list([mug, cup])))).toEqual(["order.goods"]);
  });

  test("takes at most 512 bytes in the table with every field, and none of the contents", () => {
    const amounts = [
      "tips",
      "discount",
      "totalTax",
      "insurance",
      "handlingFee",
      "shippingDiscount",
    ];
    const item = goods({ goodsDesc: "Blue", tax: 0 });
    const order = {
      ...Object.fromEntries(amounts.map((name) => [name, 0])),
      orderDescription: "Canary",
      shipping: { shipType: "SHIPPING", name: "Canary" },
      goods: [item],
    };
    const full = contentOf(orderBody({ redirectUrl: "https://shop.example/x" }, order));
    expect(Object.keys(full)).toHaveLength(14);
    // DynamoDB counts names and values in UTF-8, 3 bytes for a map and 1 for each of its entries.
    const bytes = Object.entries(full).reduce(
      (sum, [name, value]) => sum + name.length + value.length + 1,
      3,
    );
    expect(bytes).toBeLessThanOrEqual(512);
    expect(JSON.stringify(full)).not.toContain("Canary");
  });

  test("a callbackUrl is not sent to the service", () => {
    const { body } = read({ ...usual, callbackUrl: "https://shop.example/callbacks" });
    expect(body).not.toHaveProperty("callbackUrl");
  });
});

describe("a field that may be left out", () => {
  test("may be null or empty, and is then not sent", () => {
    const item = { ...goods(), goodsDesc: "", tax: null };
    const order = { orderDescription: null, tips: null, totalTax: null, goods: [item] };
    const shipping = { shipType: "SHIPPING", name: "A", address: "", amount: null };
    const top = { merchantId: null, paymentTime: null, paymentExpiryTime: null, redirectUrl: null };
    const sent = read(orderBody({ ...top, callbackUrl: null }, { ...order, shipping }));
    const plain = read(orderBody({}, { shipping: { shipType: "SHIPPING", name: "A" } }));
    expect(JSON.stringify(sent.body)).toBe(JSON.stringify(plain.body));
    expect(sent.merchantId).toBeUndefined();
    expect(read(orderBody({}, { shipping: null })).body.order["shipping"]).toBeUndefined();
  });
});

const asText = (body: string) => ({ body, isBase64Encoded: false });
const asBase64 = (bytes: Buffer) => ({ body: bytes.toString("base64"), isBase64Encoded: true });

const refusedText = (request: { body: string; isBase64Encoded: boolean }) =>
  thrownBy(ProblemError, () => requestText(request)).problem;

const most = 1024 * 1024;
const tooLarge = { type: "urn:paycast:problem:body-too-large", status: 413 };

describe("a request's text", () => {
  test("is its body as it is, or as base64 of UTF-8", () => {
    expect(requestText(asText("{}"))).toBe("{}");
    expect(requestText(asBase64(Buffer.from('"é🛒"')))).toBe('"é🛒"');
    expect(requestText({ isBase64Encoded: false })).toBe("");
  });

  test("is refused if it is not base64 although API Gateway says so", () => {
    expect(refusedText({ body: "{}", isBase64Encoded: true })).toMatchObject({
      type: "urn:paycast:problem:body-invalid",
      errors: [{ pointer: "" }],
    });
  });

  test("may have 1 MiB, counted in bytes, and not one more", () => {
    expect(requestText(asText("x".repeat(most)))).toHaveLength(most);
    expect(requestText(asBase64(Buffer.alloc(most, "x")))).toHaveLength(most);
    expect(refusedText(asText("x".repeat(most + 1)))).toMatchObject(tooLarge);
    expect(refusedText(asBase64(Buffer.alloc(most + 1, "x")))).toMatchObject(tooLarge);
    expect(refusedText(asText("🛒".repeat(most / 4 + 1)))).toMatchObject(tooLarge);
  });

  test("is too large before it is anything else, also if it is not UTF-8", () => {
    expect(refusedText(asBase64(Buffer.alloc(most + 1, 0xff)))).toMatchObject(tooLarge);
  });
});

describe("bytes that are not UTF-8", () => {
  const latin1 = Buffer.from(JSON.stringify(orderBody({}, { orderNo: "É-1" })), "latin1");

  test.each([
    ["as API Gateway passes a body of JSON", asText(latin1.toString("utf8"))],
    ["as it passes any other body", asBase64(latin1)],
  ])("are refused where they are, and never repaired: %s", (_case, request) => {
    expect(faultsOf(requestText(request))).toEqual([
      "/order/orderNo: order.orderNo must be UTF-8: it holds the character U+FFFD, which replaces other bytes.",
    ]);
  });

  test.each([
    ["in a name", { "f\ufffd": 1 }, "/f\ufffd"],
    [
      "in a text of a good",
      { order: { goods: [goods({ goodsName: "\ufffd" })] } },
      "/order/goods/0/goodsName",
    ],
    ["where no field can be", [[[[["\ufffd"]]]]], ""],
  ])("are refused %s", (_case, body, pointer) => {
    const { errors = [] } = problemWith(body);
    expect(errors.map((fault) => fault.pointer)).toContain(pointer);
  });

  test("are named also if the body is not JSON", () => {
    expect(faultsOf('{"order":\ufffd')).toEqual([": The body is not UTF-8."]);
  });

  test("an escaped U+FFFD is what its sender wrote", () => {
    const json = JSON.stringify(orderBody({}, { orderDescription: "-" })).replace(
      '"-"',
      '"\\ufffd"',
    );
    expect(read(json).body.order["orderDescription"]).toBe("\ufffd");
  });
});
