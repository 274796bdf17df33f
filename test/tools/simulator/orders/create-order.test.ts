import { describe, expect, test } from "vitest";
import { refusalCodes } from "../../../../tools/simulator/orders/refusal.ts";
import { runSimulator, runSimulatorPerTest } from "../running-simulator.ts";
import { createBody, paths, post } from "../storefront.ts";
import { type Fields, sealRequest } from "../test-merchant.ts";

const running = runSimulator();
const minuteMilliseconds = 60_000;
const now = Date.now();
const goods = { referenceGoodsId: "a", goodsName: "A" };
const withOrder = (order: Fields) => createBody({}, order);
const withGoods = (candidate: Fields, order: Fields = {}) =>
  withOrder({ goods: [{ ...goods, ...candidate }], ...order });
const expiringIn = (milliseconds: number) =>
  createBody({ paymentTime: now, paymentExpiryTime: now + milliseconds });

describe("an order within the rules", () => {
  test("is answered with a pending payment and a checkout address", async () => {
    const answer = await running.create(withOrder({ orderNo: "FIRST" }));
    expect(answer).toEqual({
      code: 20_000,
      msg: "SUCCESS",
      data: {
        paymentId: expect.stringMatching(/^[0-9a-f]{32}$/),
        referOrderNo: "FIRST",
        channel: "WEB",
        checkoutUrl: `${running.simulator.url}/checkout/${answer.data?.["paymentId"]}`,
        status: "pending",
      },
    });
  });

  test.each([paths.create, `/cgi${paths.create}`, paths.gateway, `/cgi${paths.gateway}`])(
    "is accepted at %s",
    async (path) => {
      const envelope = sealRequest(running.merchant, "service.trade.create", createBody());
      const answer = await post(running.simulator.url + path, envelope);
      expect(answer).toMatchObject({ code: 20_000 });
    },
  );

  test.each<[what: string, body: Fields]>([
    ["numbers as strings", createBody({ paymentAmount: "25.00", paymentTime: String(now) })],
    ["an order number of 64 emoji", withOrder({ orderNo: "🙂".repeat(64) })],
    [
      "goodsUnitAmount",
      withGoods({ goodsUnitAmount: 0.1, goodsQuantity: 3 }, { orderAmount: 0.3 }),
    ],
    [
      "a quantity with a fraction, rounded down",
      withGoods({ goodsAmount: 1.99, goodsQuantity: 1.5 }, { orderAmount: 2.98 }),
    ],
    [
      "a quantity with a fraction, rounded up",
      withGoods({ goodsAmount: 1.99, goodsQuantity: "1.5" }, { orderAmount: 2.99 }),
    ],
    ["goods without amounts", withGoods({ goodsQuantity: 3 }, { orderAmount: 7 })],
    ["thousandths of a dinar", createBody({ currency: "TND", paymentAmount: 0.125 })],
    ["an expiry after 5 minutes", expiringIn(5 * minuteMilliseconds)],
    ["an expiry after 24 hours", expiringIn(1440 * minuteMilliseconds)],
    ["100 goods", withOrder({ goods: Array.from({ length: 100 }, () => goods) })],
    ["an app's own address", createBody({ channel: "APP", redirectUrl: "shop-app://result" })],
    ["a callback on port 443", createBody({ callbackUrl: "https://shop.example:443/callbacks" })],
  ])("may have %s", async (_what, body) => {
    expect(await running.create(body)).toMatchObject({ code: 20_000 });
  });

  test("keeps the digits of an amount that a double cannot hold", async () => {
    const text = JSON.stringify(createBody());
    const exact = text.replace('"paymentAmount":25', '"paymentAmount":90071992547409.93');
    const { data } = await running.create(exact);
    expect(running.simulator.order(String(data?.["paymentId"])).amount).toBe("90071992547409.93");
  });
});

describe("a create body outside the rules is refused with the reason", () => {
  test.each<[reason: string, body: unknown]>([
    ["body must be an object", "[]"],
    ["order.orderNo is missing", withOrder({ orderNo: undefined })],
    ["order.orderNo must be 1 to 64 characters long", withOrder({ orderNo: "🙂".repeat(65) })],
    [
      "order.orderDescription must be at most 256",
      withOrder({ orderDescription: "d".repeat(257) }),
    ],
    ["channel must be one of WEB, APP", createBody({ channel: "POS" })],
    ["currency must be an ISO 4217 currency code", createBody({ currency: "XAU" })],
    ["paymentAmount must be a plain decimal", createBody({ paymentAmount: 25.001 })],
    ["paymentAmount must be more than zero", createBody({ paymentAmount: 0 })],
    ["order.goods must have at least one entry", withOrder({ goods: [] })],
    ["order.goods must have at most 100", withOrder({ goods: Array(101).fill(goods) })],
    ["order.goods.0.goodsQuantity must be above 0", withGoods({ goodsQuantity: 0 })],
    ["order.goods.0.goodsQuantity must be a plain number", withGoods({ goodsQuantity: -1 })],
    [
      "order.orderAmount must be the sum",
      withGoods({ goodsAmount: 1.99, goodsQuantity: 1.5 }, { orderAmount: 2.97 }),
    ],
    ["must not be given beside", withGoods({ goodsAmount: 1, goodsUnitAmount: 1 })],
    ["order.orderAmount must be the sum", withOrder({ orderAmount: 25.01 })],
    [
      "order.totalTax must be the sum",
      withGoods({ goodsAmount: 1, tax: 0.2, goodsQuantity: 2 }, { orderAmount: 2, totalTax: 0.5 }),
    ],
    ["paymentTime must be 13 digits", createBody({ paymentTime: Math.floor(now / 1000) })],
    ["5 minutes to 24 hours", expiringIn(5 * minuteMilliseconds - 1)],
    ["5 minutes to 24 hours", expiringIn(1440 * minuteMilliseconds + 1)],
    [
      "paymentExpiryTime must be in the future",
      createBody({ paymentTime: now - 9e5, paymentExpiryTime: now - 3e5 }),
    ],
    ["callbackUrl must be https", createBody({ callbackUrl: "http://shop.example/callbacks" })],
    ["on port 443", createBody({ callbackUrl: "https://shop.example:8443/callbacks" })],
    ["redirectUrl must be an http", createBody({ redirectUrl: "shop-app://result" })],
    [
      "redirectUrl must be an http",
      createBody({ channel: "APP", redirectUrl: "javascript:alert(1)" }),
    ],
  ])("%s", async (reason, body) => {
    const before = running.simulator.orders().length;
    const answer = await running.create(body);
    expect(answer.code).toBe(refusalCodes.bodyField);
    expect(answer.msg).toContain(reason);
    expect(running.simulator.orders()).toHaveLength(before);
  });

  test("with all its faults at once", async () => {
    const { msg } = await running.create(createBody({ channel: "POS", currency: "EURO" }));
    expect(msg).toMatch(/channel.*currency/);
  });
});

describe("an envelope outside the rules is refused", () => {
  const seal = (changed: Fields, forged: Fields = {}, method = "service.trade.create") =>
    sealRequest(running.merchant, method, createBody(), { changed, forged });
  const minutesFromNow = (minutes: number) => Date.now() + minutes * minuteMilliseconds;

  test.each<[what: string, code: keyof typeof refusalCodes, envelope: () => string]>([
    ["that is not JSON", "notAnEnvelope", () => "hello"],
    ["without a signature", "envelopeField", () => seal({}, { sign: undefined })],
    ["with an unknown field", "envelopeField", () => seal({ extra: "1" })],
    ["with another cipher", "envelopeField", () => seal({ encryptType: "DES" })],
    ["with a timestamp in seconds", "envelopeField", () => seal({ timestamp: 1_700_000_000 })],
    ["of an unknown merchant", "unknownMerchant", () => seal({ merchantId: "nobody" })],
    ["with the other path's method", "unknownMethod", () => seal({}, {}, "service.trade.query")],
    ["that is too old", "timestampOutsideWindow", () => seal({ timestamp: minutesFromNow(-6) })],
    ["from the future", "timestampOutsideWindow", () => seal({ timestamp: minutesFromNow(6) })],
    ["that was changed", "wrongSignature", () => seal({}, { timestamp: minutesFromNow(1) })],
    ["with wrong base64", "cannotDecrypt", () => seal({}, { body: "AAAA*AAA" })],
  ])("%s", async (_what, code, envelope) => {
    const answer = await post(running.simulator.url + paths.create, envelope());
    expect(answer).toEqual({ code: refusalCodes[code], msg: expect.stringMatching(/./) });
  });

  test("with another content type, another method or too many bytes", async () => {
    const url = running.simulator.url + paths.create;
    const typed = await fetch(url, { method: "POST", body: seal({}) });
    expect(await typed.json()).toMatchObject({ code: refusalCodes.notAnEnvelope });
    expect((await fetch(url)).status).toBe(405);
    expect((await fetch(url, { method: "POST", body: "x".repeat(1_048_577) })).status).toBe(413);
  });
});

test("an envelope without its optional fields is accepted", async () => {
  const remaining = {
    format: undefined,
    charset: undefined,
    encryptType: undefined,
    signType: undefined,
  };
  const changed = { ...remaining, timestamp: String(Date.now()) };
  const envelope = sealRequest(running.merchant, "service.trade.create", createBody(), { changed });
  const answer = await post(running.simulator.url + paths.create, envelope);
  expect(answer).toMatchObject({ code: 20_000 });
});

describe("a second create with the same order number", () => {
  const own = runSimulatorPerTest();
  const twice = async (repeatedOrderNo: "same" | "new" | "refuse", second: Fields = {}) => {
    await own.start({ repeatedOrderNo });
    const body = createBody();
    return [await own.create(body), await own.create({ ...body, ...second })] as const;
  };

  test("gets the same payment for the same content, also with other times", async () => {
    const [first, second] = await twice("same", { paymentTime: Date.now() + 1 });
    expect(second).toEqual(first);
  });

  test.each([
    ["another content", "same", { paymentAmount: 26 }],
    ["a service that is set to refuse", "refuse", {}],
  ] as const)("is refused with %s", async (_what, repeatedOrderNo, changed) => {
    const [, second] = await twice(repeatedOrderNo, changed);
    expect(second.code).toBe(refusalCodes.orderNoTaken);
  });

  test("gets a new payment from a service that is set to do so", async () => {
    const [first, second] = await twice("new");
    expect(second.code).toBe(20_000);
    expect(second.data?.["paymentId"]).not.toBe(first.data?.["paymentId"]);
  });
});
