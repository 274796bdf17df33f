import { createCipheriv } from "node:crypto";
import { expect, test } from "vitest";
import type { Evidence } from "./check/evidence.ts";
import { creation, rejectedCreation, type StorefrontBody } from "./check/requests.ts";
import { requestsAreRight } from "./check/sent-requests.ts";
import type { Asked } from "./service-line.ts";
import { bookOf, callbackUrl, callOf, order, seenWith } from "./synthetic.ts";
import { changed, eventsWith, paidAnswer, paidBody } from "./synthetic-events.ts";

const keys = { aesKey: Buffer.alloc(16).toString("base64"), servicePublicKey: "" };

/** A request to the service that starts at this time and ends a second later. */
function sent(atMilliseconds: number, body: object, answer: object = { code: 20_000 }): Asked {
  const cipher = createCipheriv("aes-128-cbc", Buffer.alloc(16), Buffer.alloc(16));
  const encrypted = cipher.update(JSON.stringify(body), "utf8", "base64") + cipher.final("base64");
  return {
    atMilliseconds,
    endedMilliseconds: atMilliseconds + 1_000,
    status: 200,
    answer: JSON.stringify(answer),
    envelope: JSON.stringify({ merchantId: order.merchantId, body: encrypted }),
  };
}

/** What the shop sends: the amounts are text here, and numbers for the service. */
const ordered: StorefrontBody = {
  merchantId: order.merchantId,
  channel: "WEB",
  paymentAmount: "19.99",
  currency: "EUR",
  order: {
    orderNo: order.orderNo,
    orderAmount: "19.99",
    goods: [{ referenceGoodsId: "1", goodsName: "One", goodsAmount: "19.99", goodsQuantity: 1 }],
  },
};

function bodyAt(atMilliseconds: number) {
  return {
    channel: "WEB",
    paymentAmount: 19.99,
    currency: "EUR",
    order: {
      orderNo: order.orderNo,
      orderAmount: 19.99,
      goods: [{ referenceGoodsId: "1", goodsName: "One", goodsAmount: 19.99, goodsQuantity: 1 }],
    },
    callbackUrl,
    paymentTime: atMilliseconds - 500,
    paymentExpiryTime: atMilliseconds - 500 + 30 * 60_000,
  };
}

const at = 10_000;

/** A request of the storefront. */
function call(fromMilliseconds: number, untilMilliseconds: number, status: number | undefined) {
  const times = { atMilliseconds: fromMilliseconds, endedMilliseconds: untilMilliseconds };
  const expiresAt = new Date(at - 500 + 30 * 60_000).toISOString();
  return { ...callOf(creation, status, { ...paidAnswer, expiresAt }), ...times, body: ordered };
}

const confirmed = call(at - 1_000, at + 2_000, 201);

function found(asked: readonly Asked[], parts: Partial<Evidence> = {}, bodies: object[] = []) {
  const seen = seenWith(
    { asked, calls: [confirmed], ledger: [bookOf("pending")], keysOf: () => [keys], ...parts },
    { events: eventsWith(...bodies) },
  );
  return requestsAreRight(seen).flatMap(({ wrong }) => wrong);
}

test("an order that is sent as it was ordered is right", () => {
  expect(found([sent(at, bodyAt(at))])).toEqual([]);
});

test.each([
  ["paymentAmount", 20],
  ["currency", "USD"],
  ["callbackUrl", "https://elsewhere.example"],
  ["order.orderAmount", "19.99"],
  ["order.goods.0.goodsAmount", 20],
  ["order.orderDescription", "More"],
  ["redirectUrl", "https://shop.example"],
])("an order that is sent with another %s is found", (path, value) => {
  const [message, ...others] = found([sent(at, changed(bodyAt(at), path, value))]);
  expect(message).toContain(`sent to the payment service: body.${path} is `);
  expect(others).toEqual([]);
});

test("an order that is sent with another time of payment is found", () => {
  const later = { paymentTime: at + 1, paymentExpiryTime: at + 1 + 30 * 60_000 };
  const message = expect.stringContaining("body.paymentTime is ");
  expect(found([sent(at, { ...bodyAt(at), ...later })])).toContainEqual(message);
});

test("an order is sent as it was corrected", () => {
  const rejected = { ...call(at - 1_000, at + 500, 502), request: rejectedCreation };
  const corrected = {
    ...call(at + 600, at + 3_000, 201),
    body: changed(ordered, "currency", "USD"),
  };
  const calls = [rejected, corrected];
  const again = (body: object) => found([sent(at, bodyAt(at)), sent(at + 1_100, body)], { calls });
  expect(again(changed(bodyAt(at + 1_100), "currency", "USD"))).toEqual([]);
  expect(again(bodyAt(at + 1_100))).toEqual([
    'sent to the payment service: body.currency is "EUR", not "USD"',
  ]);
});

test("an expiry that the storefront does not show is found", () => {
  const longer = changed(bodyAt(at), "paymentExpiryTime", at + 60 * 60_000);
  expect(found([sent(at, longer)])).toEqual([
    expect.stringContaining("body.paymentExpiryTime is "),
    expect.stringMatching(/^it expires at .*, and the storefront shows /),
  ]);
  const shown = { ...paidAnswer, expiresAt: "2026-01-01T00:00:00.000Z" };
  const calls = [{ ...confirmed, answer: JSON.stringify(shown) }];
  expect(found([sent(at, bodyAt(at))], { calls })).toHaveLength(1);
});

test("a confirmed order that was never sent is found, and a request about nothing that exists", () => {
  expect(found([])).toEqual(["it was never sent to the payment service"]);
  const unknown = [
    sent(at, { paymentId: "p9" }),
    sent(at, changed(bodyAt(at), "order.orderNo", "C9")),
  ];
  const message = expect.stringMatching(/^a request about nothing that exists: /);
  expect(found([sent(at, bodyAt(at)), ...unknown])).toEqual([message, message]);
});

test("an order that is sent in the name of another merchant is found", () => {
  const request = sent(at, bodyAt(at));
  const envelope = JSON.stringify({ ...JSON.parse(request.envelope), merchantId: "m2" });
  expect(found([{ ...request, envelope }])).toHaveLength(1);
});

test("an order that nobody ordered is found", () => {
  const request = sent(at, bodyAt(at));
  expect(found([request], { calls: [] })).toContain(
    "nobody ordered what was sent to the payment service",
  );
});

test("an order is sent once for each request, and again only after the first has ended", () => {
  const again = (later: number) => sent(at + later, bodyAt(at + later));
  const repeated = call(at + 1_500, at + 4_000, 504);
  const first = call(at - 1_000, at + 1_000, 504);
  const calls = [first, repeated];
  expect(found([sent(at, bodyAt(at)), again(2_000)], { calls })).toEqual([]);
  expect(found([sent(at, bodyAt(at)), again(500)], { calls })).toEqual([
    "it was sent to the payment service while it was being sent",
  ]);
  expect(found([sent(at, bodyAt(at)), again(1_200)])).toEqual([
    "it was sent to the payment service 2 times for 1 requests",
  ]);
});

test("an order that is known to exist is not sent again", () => {
  const repeated = call(at + 20_000, at + 23_000, 201);
  const twice = [sent(at, bodyAt(at)), sent(at + 21_000, bodyAt(at + 21_000))];
  const message = "it was sent to the payment service, although it was known to exist";
  expect(found(twice, { calls: [confirmed, repeated] })).toEqual([message]);
  const failed = call(at - 1_000, at + 1_000, 504);
  expect(found(twice, { calls: [failed, repeated] })).toEqual([]);
  // A subscriber received its event before the order is sent again.
  expect(found(twice, { calls: [failed, repeated] }, [paidBody])).toHaveLength(2);
});

test("the service is asked about a payment at most twice within a few seconds", () => {
  const created = sent(at, bodyAt(at));
  const ask = (atMilliseconds: number, answer?: object) =>
    sent(atMilliseconds, { paymentId: "p1" }, answer);
  const message = "the payment service was asked three times within a few seconds";
  const thrice = [20_000, 22_000, 24_000].map((time) => ask(time));
  expect(found([created, ...thrice.slice(1)])).toEqual([]);
  expect(found([created, ...thrice])).toEqual([message]);
  expect(found([created, ask(14_900), ask(20_000), ask(25_100)])).toEqual([]);
  const unanswered = [20_000, 22_000, 24_000].map((time) => ask(time, {}));
  expect(found([created, ...unanswered])).toEqual([]);
  const away = { what: "dynamodb is away", fromMilliseconds: 12_000, untilMilliseconds: 13_000 };
  expect(found([created, ...thrice], { disturbances: [away] })).toEqual([]);
  expect(found([created, ...thrice], { disturbances: [{ ...away, sparesCalls: true }] })).toEqual([
    message,
  ]);
});
