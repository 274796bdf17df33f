import { describe, expect, test } from "vitest";
import { ProblemError } from "../../../shared/storefront/problem.ts";
import { requestText } from "../../../shared/storefront/read-order.ts";
import { thrownBy } from "../../builders/thrown-by.ts";
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
  ])("is another with another %s", (_case, body) => {
    expect(hashOf(body)).not.toBe(hash);
  });

  test.each(["https://shop.example/callbacks", "", "x".repeat(2_048)])(
    "is the same with a callbackUrl, which is not sent",
    (callbackUrl) => {
      const order = read(orderBody({ callbackUrl }));
      expect(order.contentHash).toBe(hash);
      expect(order.body).not.toHaveProperty("callbackUrl");
    },
  );

  test("tells goods in another order apart", () => {
    const [cup, mug] = [goods(), goods({ goodsName: "Mug" })];
    const body = (list: unknown[]) => orderBody({}, { orderAmount: 20, goods: list });
    expect(hashOf(body([cup, mug]))).not.toBe(hashOf(body([mug, cup])));
  });
});

const asText = (body: string) => ({ body, isBase64Encoded: false });
const asBase64 = (bytes: Buffer) => ({ body: bytes.toString("base64"), isBase64Encoded: true });

const refusedText = (request: { body: string; isBase64Encoded: boolean }) =>
  thrownBy(ProblemError, () => requestText(request)).problem;

const most = 256 * 1024;
const tooLarge = { type: "urn:paycast:problem:body-too-large", status: 413 };

describe("a request's text", () => {
  test("is its body as it is, or as base64 of UTF-8", () => {
    expect(requestText(asText("{}"))).toBe("{}");
    expect(requestText(asBase64(Buffer.from('"é🛒"')))).toBe('"é🛒"');
    expect(requestText({ isBase64Encoded: false })).toBe("");
  });

  test("is refused, not repaired, if its bytes are not UTF-8", () => {
    expect(refusedText(asBase64(Buffer.from([0x22, 0xe9, 0x22])))).toMatchObject({
      type: "urn:paycast:problem:body-invalid",
      status: 400,
      errors: [{ pointer: "", detail: "The body is not UTF-8." }],
    });
  });

  test("may have 256 KiB, counted in bytes, and not one more", () => {
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
