import { beforeAll, describe, expect, test } from "vitest";
import type { ProfileInput } from "../../shared/envelope/profile.ts";
import { eventsOf } from "../integration/flow.ts";
import type { SeenRequest } from "./openssl-service.ts";
import { makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { type Fields, orderBody, orderNoOf } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();

describe("what openssl opens", () => {
  test("is the order with every field under its name, amounts as numbers, and the stack's callbackUrl", async () => {
    const { shop, service } = await makeOpensslShop(makeShop);
    const now = Date.now();
    const body = orderBody(
      { paymentAmount: "25.50", redirectUrl: "https://shop.example/?a=1&b=2", paymentTime: now },
      { tips: "0.50", orderNo: "№ 7/α?&=🛒" },
    );
    expect((await shop.create(body)).status).toBe(201);
    const [request] = service.requests;
    expect(request).toMatchObject({
      path: "/payment/api/v1/payment-order",
      method: "service.trade.create",
      merchantId: shop.world.merchant.merchantId,
      timestamp: expect.closeTo(now, -5),
    });
    expect(request?.body).toEqual({
      ...body,
      order: { ...(body["order"] as Fields), tips: 0.5 },
      paymentAmount: 25.5,
      paymentExpiryTime: now + 30 * 60_000,
      callbackUrl: `${shop.url}/callbacks`,
    });
  });

  test.each<[string, ProfileInput]>([
    ["by default", {}],
    [
      "numbers as strings and the other name",
      { numbers: "string", goodsAmountName: "goodsUnitAmount" },
    ],
    [
      "the ciphertext signed, in hex",
      { signs: "ciphertext", signatureEncoding: "hex", bodyEncoding: "hex" },
    ],
    [
      "an IV in front, and PSS",
      { iv: "prefixed", signaturePadding: "PSS", signatureHash: "SHA-512" },
    ],
    ["ECB, and JSON signed", { cipher: "ECB", signedForm: "canonical-json", keyEncoding: "hex" }],
    ["pairs signed in the order sent", { signedForm: "pairs-as-sent" }],
    ["the request object signed, with its plain body", { signedForm: "json-as-sent" }],
    [
      "the request object signed, the body an object in it",
      { signedForm: "json-as-sent", bodyInJson: "json" },
    ],
    ["the body alone signed, by SHA-1", { signedForm: "body", signatureHash: "SHA-1" }],
  ])("is what the profile says: %s", async (_case, profile) => {
    const { shop, service } = await makeOpensslShop(makeShop, { profile });
    expect((await shop.create()).body["paymentId"]).toBe("P1");
    const { text, timestamp } = service.requests[0]!;
    const name = profile.goodsAmountName ?? "goodsAmount";
    const number = (value: number) => (profile.numbers === "string" ? `"${value}"` : String(value));
    expect(text).toContain(`"${name}":${number(10)},"goodsQuantity":${number(2)}`);
    expect(text).toContain(`"paymentAmount":${number(25)}`);
    expect(typeof timestamp).toBe(profile.numbers ?? "number");
  });

  test("comes at the paths of the config, with the prefix", async () => {
    const gateway = { pathPrefix: "/cgi", paths: { query: "/api/v1/gateway" } };
    const { shop, service } = await makeOpensslShop(makeShop, { gateway });
    const body = orderBody();
    await shop.create(body);
    await shop.get(`/orders/${orderNoOf(body)}`);
    expect(service.requests.map(({ path, method }) => [path, method])).toEqual([
      ["/cgi/payment/api/v1/payment-order", "service.trade.create"],
      ["/cgi/api/v1/gateway", "service.trade.query"],
    ]);
    expect(service.requests[1]?.body).toEqual({ paymentId: "P1" });
  });

  test("is under each merchant's own key", async () => {
    const { shop, service } = await makeOpensslShop(makeShop, { otherMerchants: ["M2", "M3"] });
    for (const merchantId of ["M2", "M3"]) {
      expect((await shop.create(orderBody({ merchantId }))).status).toBe(201);
    }
    expect(service.requests.map(({ merchantId }) => merchantId)).toEqual(["M2", "M3"]);
    for (const { body } of service.requests) expect(body).not.toHaveProperty("merchantId");
    const unnamed = await shop.create();
    expect(unnamed.body["errors"]).toMatchObject([{ pointer: "/merchantId" }]);
    const path = "/payments/P1";
    expect((await shop.get(path)).body["type"]).toBe("urn:paycast:problem:merchant-unknown");
    expect((await shop.get(`${path}?merchantId=M9`)).status).toBe(400);
    expect((await shop.get(`${path}?merchantId=M3`)).status).toBe(200);
  });
});

describe("an answer is read", () => {
  /** What the service answers to a query, and as how many payments it has created. */
  let answer: unknown;
  let payments = 0;
  let shop: Shop;
  const serviceOf = (code: unknown) => (request: SeenRequest) => {
    if (request.method === "service.trade.query") return answer;
    payments += 1;
    return success({ ...paymentData, paymentId: `P${payments}` }, code);
  };
  beforeAll(async () => {
    ({ shop } = await makeOpensslShop(makeShop, {}, serviceOf(20000)));
  });

  /** Creates an order and asks for it. */
  async function ask(asked: Shop) {
    const body = orderBody();
    expect((await asked.create(body)).status).toBe(201);
    return { orderNo: orderNoOf(body), ...(await asked.get(`/orders/${orderNoOf(body)}`)) };
  }

  async function expectRead(asked: Shop, fields: Fields, code: unknown = 20000): Promise<void> {
    const result = { status: "success", transactionId: "T1", currency: "EUR", ...fields };
    answer = success(result, code);
    const { orderNo, body } = await ask(asked);
    expect(body).toMatchObject({
      orderNo,
      status: "success",
      transactionId: "T1",
      paidAmount: { value: "25.00", minor: "2500", currency: "EUR" },
      completedAt: "2026-11-15T01:23:15.123Z",
    });
    await asked.pump();
    expect(await eventsOf(asked.world, "books")).toMatchObject([
      { subject: orderNo, data: { orderNo, paymentId: `P${payments}`, flags: [] } },
    ]);
  }

  const completeTime = 1794705795123;
  test.each<[string, Fields]>([
    ["with numbers", { payAmount: 25, paymentTime: 1794705765123, paidTime: completeTime }],
    ["under the callback's names", { paymentAmount: 25, completeTime, outOrderNo: "X" }],
    [
      "with a refund's number and fields that nobody knows",
      { payAmount: 25, referOrderNo: "REFUND-9", fee: 1, paidTime: completeTime },
    ],
    [
      "with nulls and empty texts",
      { payAmount: 25, msg: "", referOrderNo: null, paidTime: completeTime },
    ],
  ])("%s, matched by the payment that was asked for", async (_case, fields) => {
    await expectRead(shop, fields);
  });

  test("with strings, matched by the payment that was asked for", async () => {
    const profile = { numbers: "string" } as const;
    const strings = await makeOpensslShop(makeShop, { profile }, serviceOf("20000"));
    const times = { paymentTime: "1794705765123", paidTime: String(completeTime) };
    await expectRead(strings.shop, { payAmount: "25.00", ...times }, "20000");
  });

  test.each([
    [
      "an amount with more digits than a number holds",
      '{"payAmount":25.000000000000000001,"status":"success","currency":"EUR"}',
    ],
    ["a success without an amount", '{"status":"success","currency":"EUR"}'],
    ["a status that nobody knows", '{"status":"paid","payAmount":25,"currency":"EUR"}'],
    [
      "an amount with too many decimals",
      '{"payAmount":25.001,"status":"success","currency":"EUR"}',
    ],
  ])("never by guessing: %s leaves the order stale", async (_case, data) => {
    answer = `{"code":20000,"data":${data}}`;
    expect((await ask(shop)).body).toMatchObject({ status: "pending", stale: true });
  });

  test("of a create, though it holds a number that no double keeps", async () => {
    const data =
      '{"paymentId":"P1","checkoutUrl":"https://pay.example/P1","seq":12345678901234567890}';
    const own = await makeOpensslShop(makeShop, {}, () => `{"code":20000,"data":${data}}`);
    expect((await own.shop.create()).status).toBe(201);
  });
});

describe("callbacks", () => {
  const resultNames = { orderNoName: "outOrderNo", completeTimeName: "paidTime" } as const;

  test("under the other names and with strings lead to the order alike", async () => {
    const shop: Shop = await makeShop({ profile: { numbers: "string" }, resultNames });
    const body = orderBody();
    const { body: created } = await shop.create(body);
    await shop.pay(String(created["paymentId"]));
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).body).toMatchObject({
      status: "success",
      completedAt: expect.any(String),
      flags: [],
    });
  });
});
