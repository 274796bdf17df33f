import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusalCodes } from "../../simulator/orders/refusal.ts";
import { type Simulator, startSimulator } from "../../simulator/start-simulator.ts";
import { create, createBody, paths, post } from "./storefront.ts";
import { newTestMerchant, sealRequest } from "./test-merchant.ts";

const merchant = newTestMerchant();
let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({ merchants: [merchant.service] });
});
afterAll(() => simulator.stop());

const minuteMilliseconds = 60_000;
const now = Date.now();

describe("an order within the rules", () => {
  test("is answered with a pending payment and a checkout address", async () => {
    const body = createBody();
    const answer = await create(simulator, merchant, body);
    expect(answer).toEqual({
      code: 20_000,
      msg: "SUCCESS",
      data: {
        paymentId: expect.stringMatching(/^[0-9a-f]{32}$/),
        referOrderNo: (body["order"] as { orderNo: string }).orderNo,
        channel: "WEB",
        checkoutUrl: `${simulator.url}/checkout/${answer.data?.["paymentId"]}`,
        status: "pending",
      },
    });
  });

  test.each([
    ["/payment/api/v1/payment-order"],
    ["/cgi/payment/api/v1/payment-order"],
    ["/api/v1/gateway"],
    ["/cgi/api/v1/gateway"],
  ])("is taken at %s", async (path) => {
    const envelope = sealRequest(merchant, "service.trade.create", createBody());
    expect(await post(simulator.url + path, envelope)).toMatchObject({ code: 20_000 });
  });

  const goods = { referenceGoodsId: "a", goodsName: "A", goodsQuantity: 3 };
  const longest = "🙂".repeat(64);
  const accepted: [what: string, body: Record<string, unknown>][] = [
    ["numbers as strings", createBody({ paymentAmount: "25.00", paymentTime: String(now) })],
    ["an order number of 64 characters beyond the BMP", createBody({}, { orderNo: longest })],
    [
      "goodsUnitAmount",
      createBody({}, { goods: [{ ...goods, goodsUnitAmount: 0.1 }], orderAmount: 0.3 }),
    ],
    ["goods without amounts, whatever the sum", createBody({}, { goods: [goods], orderAmount: 7 })],
    ["a whole number of yen", createBody({ currency: "JPY", paymentAmount: 25 })],
    ["thousandths of a dinar", createBody({ currency: "TND", paymentAmount: 0.125 })],
    [
      "an expiry after 5 minutes",
      createBody({ paymentTime: now, paymentExpiryTime: now + 5 * minuteMilliseconds }),
    ],
    [
      "an expiry after 24 hours",
      createBody({ paymentTime: now, paymentExpiryTime: now + 1440 * minuteMilliseconds }),
    ],
    ["100 goods", createBody({}, { goods: Array.from({ length: 100 }, () => goods) })],
    ["an app's own address", createBody({ channel: "APP", redirectUrl: "shop-app://result" })],
    [
      "shipping",
      createBody({}, { shipping: { shipType: "SHIPPING", name: "Reception", amount: 3 } }),
    ],
    [
      "a callback address on port 443",
      createBody({ callbackUrl: "https://shop.example:443/callbacks" }),
    ],
    [
      "a callback address on this machine",
      createBody({ callbackUrl: "http://localhost:9999/callbacks" }),
    ],
  ];
  test.each(accepted)("may have %s", async (_what, body) => {
    expect(await create(simulator, merchant, body)).toMatchObject({ code: 20_000 });
  });
});

describe("a create body outside the rules is refused, and says why", () => {
  const one = { referenceGoodsId: "a", goodsName: "A" };
  const far = {
    referenceGoodsId: "a".repeat(65),
    goodsName: "b".repeat(257),
    goodsDesc: "c".repeat(257),
  };
  const refused: [said: string, body: unknown][] = [
    ["body must be an object", "[]"],
    ["order is missing", { ...createBody(), order: undefined }],
    ["order.orderNo is missing", createBody({}, { orderNo: undefined })],
    ["order.orderNo must be text", createBody({}, { orderNo: 17 })],
    ["order.orderNo must be 1 to 64 characters long", createBody({}, { orderNo: "🙂".repeat(65) })],
    ["order.orderNo must be 1 to 64 characters long", createBody({}, { orderNo: "" })],
    [
      "order.orderDescription must be at most 256",
      createBody({}, { orderDescription: "d".repeat(257) }),
    ],
    ["channel must be one of WEB, APP", createBody({ channel: "POS" })],
    ["currency must be an ISO 4217 currency code", createBody({ currency: "EURO" })],
    ["currency must be an ISO 4217 currency code", createBody({ currency: "XAU" })],
    ["paymentAmount must be a plain decimal", createBody({ paymentAmount: -25 })],
    ["paymentAmount must be a plain decimal", createBody({ paymentAmount: 25.001 })],
    ["paymentAmount must be a plain decimal", createBody({ paymentAmount: "2.5e1" })],
    ["paymentAmount must be a plain decimal", createBody({ paymentAmount: 25.5, currency: "JPY" })],
    ["paymentAmount must be more than zero", createBody({ paymentAmount: 0 })],
    ["paymentAmount must be a number", createBody({ paymentAmount: true })],
    ["order.tips must be a plain decimal", createBody({}, { tips: -1 })],
    [
      "order.shipping.amount must be a plain",
      createBody({}, { shipping: { shipType: "SHIPPING", name: "R", amount: 0.001 } }),
    ],
    [
      "order.shipping.shipType must be one of",
      createBody({}, { shipping: { shipType: "DRONE", name: "R" } }),
    ],
    ["order.shipping.name is missing", createBody({}, { shipping: { shipType: "SHIPPING" } })],
    ["order.goods must have at least one entry", createBody({}, { goods: [] })],
    [
      "order.goods must have at most 100 entries",
      createBody({}, { goods: Array.from({ length: 101 }, () => one) }),
    ],
    ["order.goods.0.goodsName is missing", createBody({}, { goods: [{ referenceGoodsId: "a" }] })],
    ["order.goods.0.referenceGoodsId must be 1 to 64", createBody({}, { goods: [far] })],
    ["order.goods.0.goodsName must be 1 to 256", createBody({}, { goods: [far] })],
    ["order.goods.0.goodsDesc must be at most 256", createBody({}, { goods: [far] })],
    [
      "order.goods.0.goodsQuantity must be a whole number",
      createBody({}, { goods: [{ ...one, goodsQuantity: 1.5 }] }),
    ],
    [
      "order.goods.0.goodsUnitAmount must not be given beside",
      createBody({}, { goods: [{ ...one, goodsAmount: 1, goodsUnitAmount: 1 }] }),
    ],
    ["order.orderAmount must be the sum", createBody({}, { orderAmount: 25.01 })],
    [
      "order.totalTax must be the sum",
      createBody(
        {},
        {
          orderAmount: 2,
          totalTax: 0.5,
          goods: [{ ...one, goodsAmount: 1, tax: 0.2, goodsQuantity: 2 }],
        },
      ),
    ],
    ["paymentTime must be 13 digits", createBody({ paymentTime: Math.floor(now / 1000) })],
    [
      "paymentExpiryTime must be 5 minutes to 24",
      createBody({ paymentTime: now, paymentExpiryTime: now + 5 * minuteMilliseconds - 1 }),
    ],
    [
      "paymentExpiryTime must be 5 minutes to 24",
      createBody({ paymentTime: now, paymentExpiryTime: now + 1440 * minuteMilliseconds + 1 }),
    ],
    [
      "paymentExpiryTime must be in the future",
      createBody({
        paymentTime: now - 20 * minuteMilliseconds,
        paymentExpiryTime: now - 10 * minuteMilliseconds,
      }),
    ],
    [
      "callbackUrl must be https on port 443",
      createBody({ callbackUrl: "http://shop.example/callbacks" }),
    ],
    [
      "callbackUrl must be https on port 443",
      createBody({ callbackUrl: "https://shop.example:8443/callbacks" }),
    ],
    [
      "callbackUrl must be 1 to 2048",
      createBody({ callbackUrl: `https://shop.example/${"a".repeat(2048)}` }),
    ],
    [
      "redirectUrl must be 1 to 2048",
      createBody({ redirectUrl: `https://shop.example/${"a".repeat(2048)}` }),
    ],
    ["redirectUrl must be an http or https", createBody({ redirectUrl: "shop-app://result" })],
    [
      "redirectUrl must be an http or https",
      createBody({ channel: "APP", redirectUrl: "javascript:alert(1)" }),
    ],
  ];
  test.each(refused)("%s", async (said, body) => {
    const before = simulator.orders().length;
    const answer = await create(simulator, merchant, body);
    expect(answer.code).toBe(refusalCodes.bodyField);
    expect(answer.msg).toContain(said);
    expect(simulator.orders()).toHaveLength(before);
  });

  test("a number beyond what a double holds is taken digit by digit, not rounded", async () => {
    const text = JSON.stringify(createBody()).replace(
      '"paymentAmount":25',
      '"paymentAmount":90071992547409.93',
    );
    const answer = await create(simulator, merchant, text);
    const paymentId = String(answer.data?.["paymentId"]);
    expect(simulator.order(paymentId).amount).toBe("90071992547409.93");
  });

  test("all faults of a body are told at once", async () => {
    const answer = await create(
      simulator,
      merchant,
      createBody({ channel: "POS", currency: "EURO" }),
    );
    expect(answer.msg).toContain("channel");
    expect(answer.msg).toContain("currency");
  });

  test("a body that is not JSON is refused", async () => {
    expect(await create(simulator, merchant, "{")).toMatchObject({ code: refusalCodes.bodyField });
  });
});

describe("an envelope outside the rules is refused", () => {
  const seal = (options: Parameters<typeof sealRequest>[3], method = "service.trade.create") =>
    sealRequest(merchant, method, createBody(), options);
  const refused: [what: string, code: number, envelope: () => string][] = [
    ["that is not JSON", refusalCodes.notAnEnvelope, () => "hello"],
    ["that is a list", refusalCodes.notAnEnvelope, () => "[]"],
    [
      "without a signature",
      refusalCodes.envelopeField,
      () => seal({ forged: { sign: undefined } }),
    ],
    [
      "with a field it does not know",
      refusalCodes.envelopeField,
      () => seal({ changed: { extra: "1" } }),
    ],
    ["in another format", refusalCodes.envelopeField, () => seal({ changed: { format: "xml" } })],
    ["in another charset", refusalCodes.envelopeField, () => seal({ changed: { charset: "gbk" } })],
    [
      "with another cipher",
      refusalCodes.envelopeField,
      () => seal({ changed: { encryptType: "DES" } }),
    ],
    [
      "with another signature type",
      refusalCodes.envelopeField,
      () => seal({ changed: { signType: "HMAC" } }),
    ],
    [
      "with a merchant id over 18",
      refusalCodes.envelopeField,
      () => seal({ changed: { merchantId: "m".repeat(19) } }),
    ],
    [
      "with a timestamp in seconds",
      refusalCodes.envelopeField,
      () => seal({ changed: { timestamp: 1_700_000_000 } }),
    ],
    [
      "of an unknown merchant",
      refusalCodes.unknownMerchant,
      () => seal({ changed: { merchantId: "nobody" } }),
    ],
    ["with another's method", refusalCodes.unknownMethod, () => seal({}, "service.trade.query")],
    [
      "with a method not offered",
      refusalCodes.unknownMethod,
      () => seal({}, "service.trade.refund"),
    ],
    [
      "from six minutes ago",
      refusalCodes.timestampOutsideWindow,
      () => seal({ changed: { timestamp: Date.now() - 6 * minuteMilliseconds } }),
    ],
    [
      "from six minutes ahead",
      refusalCodes.timestampOutsideWindow,
      () => seal({ changed: { timestamp: Date.now() + 6 * minuteMilliseconds } }),
    ],
    [
      "with a timestamp changed after signing",
      refusalCodes.wrongSignature,
      () => seal({ forged: { timestamp: Date.now() + 1 } }),
    ],
    [
      "with base64 that is not quite",
      refusalCodes.cannotDecrypt,
      () => seal({ forged: { body: "AAAA*AAA" } }),
    ],
  ];
  test.each(refused)("%s", async (_what, code, envelope) => {
    const answer = await post(simulator.url + paths.create, envelope());
    expect(answer).toMatchObject({ code, msg: expect.stringMatching(/./) });
    expect(answer.data).toBeUndefined();
  });

  test("sent as another content type is refused", async () => {
    const response = await fetch(simulator.url + paths.create, { method: "POST", body: seal({}) });
    expect(await response.json()).toMatchObject({ code: refusalCodes.notAnEnvelope });
  });

  test("over a mebibyte is 413, a GET is 405, and another path 404", async () => {
    const big = await fetch(simulator.url + paths.create, {
      method: "POST",
      body: "x".repeat(1_048_577),
    });
    expect(big.status).toBe(413);
    expect((await fetch(simulator.url + paths.create)).status).toBe(405);
    expect((await fetch(`${simulator.url}/payment/api/v2`, { method: "POST" })).status).toBe(404);
  });
});

test("an envelope that leaves out what has a default is taken", async () => {
  const left = {
    format: undefined,
    charset: undefined,
    encryptType: undefined,
    signType: undefined,
  };
  const changed = { ...left, timestamp: String(Date.now()) };
  const envelope = sealRequest(merchant, "service.trade.create", createBody(), { changed });
  expect(await post(simulator.url + paths.create, envelope)).toMatchObject({ code: 20_000 });
});

describe("a second create under one order number", () => {
  const twice = async (
    repeatedOrderNo: "same" | "new" | "refuse",
    second: Record<string, unknown> = {},
  ) => {
    const own = await startSimulator({ merchants: [merchant.service], repeatedOrderNo });
    try {
      const body = createBody();
      const first = await create(own, merchant, body);
      return [first, await create(own, merchant, { ...body, ...second })] as const;
    } finally {
      await own.stop();
    }
  };

  test("gets the same payment if the content is the same, the times aside", async () => {
    const [first, second] = await twice("same", { paymentTime: Date.now() + 1 });
    expect(second).toEqual(first);
  });

  test("is refused if the content is another", async () => {
    const [, second] = await twice("same", { paymentAmount: 26 });
    expect(second.code).toBe(refusalCodes.orderNoTaken);
  });

  test("gets a new payment where the service is told so", async () => {
    const [first, second] = await twice("new");
    expect(second.code).toBe(20_000);
    expect(second.data?.["paymentId"]).not.toBe(first.data?.["paymentId"]);
  });

  test("is refused where the service is told so", async () => {
    const [, second] = await twice("refuse");
    expect(second.code).toBe(refusalCodes.orderNoTaken);
  });
});
