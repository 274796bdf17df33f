import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { refusalMemoryMilliseconds } from "../../shared/timing.ts";
import type { FaultInput } from "../../tools/simulator/faults/fault.ts";
import { HttpReply } from "./openssl-service.ts";
import { makeOpensslShop, paymentData, success } from "./openssl-shop.ts";
import { orderBody, orderNoOf } from "./order.ts";
import { type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;
const refusal = { code: 40777, msg: "closed" };

/** Before a service that gives `answers.first` once, and then creates a payment for each request. */
let scripted: Awaited<ReturnType<typeof makeOpensslShop>>;
/** Before the simulator. */
let simulated: Shop;
const answers: { first?: unknown } = {};
let payments = 0;
beforeAll(async () => {
  simulated = await makeShop();
  scripted = await makeOpensslShop(makeShop, {}, () => {
    const { first } = answers;
    delete answers.first;
    payments += 1;
    return first ?? success({ ...paymentData, paymentId: `P${payments}` });
  });
});
beforeEach(() => {
  scripted.service.requests.length = 0;
});

describe("a create that the service refuses", () => {
  test.each([
    ["by a code as a number", refusal, { code: "40777", msg: "closed" }],
    ["by a code as a string", { ...refusal, code: "40777" }, { code: "40777", msg: "closed" }],
    ["by HTTP 404 without a word", new HttpReply(404, ""), { code: "http-404", msg: "" }],
  ])("%s is 502 with its words, and the number is free", async (_case, answer, words) => {
    const { shop, service } = scripted;
    answers.first = answer;
    const body = orderBody();
    const orderNo = orderNoOf(body);
    const refused = await shop.create(body);
    expect(refused.status).toBe(502);
    expect(refused.headers.get("content-type")).toBe("application/problem+json");
    expect(refused.body).toMatchObject({
      type: problem("service-refused"),
      title: "The payment service rejected the request",
      status: 502,
      service: words,
    });
    expect(await shop.get(`/orders/${orderNo}`)).toMatchObject({
      status: 200,
      body: { orderNo, status: "refused", service: words, outcomeUnknown: false, payments: [] },
    });
    const other = orderBody({ paymentAmount: 24 }, { orderNo });
    const paymentId = `P${payments + 1}`;
    expect(await shop.create(other)).toMatchObject({ status: 201, body: { paymentId } });
    expect(service.requests).toHaveLength(2);
  });

  test("is refused alike without a call when the same comes again at once, and sent after a while", async () => {
    const { shop, service } = await makeOpensslShop(makeShop, {}, () => refusal);
    const body = orderBody();
    const refused = await shop.create(body);
    const creator = await shop.creator();
    // Set back, the clock stays inside the memory however slow the machine is.
    creator.advance(-refusalMemoryMilliseconds);
    for (let count = 0; count < 3; count += 1) {
      expect(await shop.create(body)).toMatchObject({ status: 502, body: refused.body });
    }
    expect(service.requests).toHaveLength(1);
    creator.advance(2 * refusalMemoryMilliseconds);
    expect((await shop.create(body)).status).toBe(502);
    expect(service.requests).toHaveLength(2);
  });

  test("by the rules of the service itself is answered with what it names", async () => {
    const fault = { kind: "refuse-creates", code: 40011, msg: "goodsName is too long" } as const;
    simulated.simulator.addFault({ ...fault, times: 1 });
    const { body } = await simulated.create();
    expect(body["service"]).toEqual({ code: "40011", msg: "goodsName is too long" });
  });
});

describe("a create for which the service is too busy", () => {
  const busy = { code: 42900, msg: "too many requests" };

  test("is 503 with the service's own time to wait, and the number is free", async () => {
    const { shop, service } = scripted;
    answers.first = new HttpReply(429, busy, { "retry-after": "7" });
    const body = orderBody();
    const refused = await shop.create(body);
    expect(refused).toMatchObject({
      status: 503,
      body: { type: problem("service-busy"), retryAfterSeconds: 7 },
    });
    expect(refused.headers.get("retry-after")).toBe("7");
    expect((await shop.get(`/orders/${orderNoOf(body)}`)).status).toBe(404);
    const other = orderBody({ paymentAmount: 24 }, { orderNo: orderNoOf(body) });
    expect((await shop.create(other)).status).toBe(201);
    expect(service.requests).toHaveLength(2);
  });

  test("is sent again as soon as it comes again: that it was busy is no refusal", async () => {
    const { shop } = scripted;
    answers.first = new HttpReply(429, busy, { "retry-after": "1" });
    const body = orderBody();
    expect((await shop.create(body)).status).toBe(503);
    expect((await shop.create(body)).status).toBe(201);
  });
});

describe("a create whose outcome the service's HTTP status leaves open", () => {
  test.each([500, 503, 408])(
    "%i is 504 and outcomeUnknown, whatever the body says",
    async (status) => {
      const { shop } = scripted;
      answers.first = new HttpReply(status, refusal);
      const body = orderBody();
      const orderNo = orderNoOf(body);
      expect(await shop.create(body)).toMatchObject({
        status: 504,
        body: { type: problem("outcome-unknown"), service: { code: "40777", msg: "closed" } },
      });
      expect((await shop.get(`/orders/${orderNo}`)).body["outcomeUnknown"]).toBe(true);
      const other = orderBody({ paymentAmount: 24 }, { orderNo });
      expect((await shop.create(other)).body["type"]).toBe(problem("order-differs"));
      expect((await shop.create(body)).status).toBe(201);
    },
  );
});

describe("a create whose answer is lost", () => {
  test.each<[string, FaultInput]>([
    ["because the connection is reset before the work", { kind: "reset-connections" }],
    [
      "because the connection is reset after the work",
      { kind: "reset-connections", when: "after" },
    ],
    ["in HTTP 500", { kind: "broken-answer", how: "http-500" }],
    ["in HTML", { kind: "broken-answer", how: "html" }],
    ["in nothing", { kind: "broken-answer", how: "empty" }],
    ["in half a JSON", { kind: "broken-answer", how: "truncated" }],
  ])(
    "%s is 504 and outcomeUnknown; a repeat sends it again, another body may not",
    async (_case, fault) => {
      const shop = simulated;
      const body = orderBody();
      const orderNo = orderNoOf(body);
      shop.simulator.addFault({ ...fault, times: 1 });
      const lost = await shop.create(body);
      expect(lost).toMatchObject({
        status: 504,
        body: { type: problem("outcome-unknown"), retryAfterSeconds: 1 },
      });
      expect(lost.headers.get("retry-after")).toBe("1");
      const path = `/orders/${orderNo}`;
      expect((await shop.get(path)).body).toMatchObject({
        status: "pending",
        outcomeUnknown: true,
        stale: true,
        payments: [],
      });
      expect(await shop.create(orderBody({ paymentAmount: 24 }, { orderNo }))).toMatchObject({
        status: 409,
        body: { type: problem("order-differs") },
      });
      const repeated = await shop.create(body);
      expect(repeated).toMatchObject({ status: 201, body: { orderNo, status: "pending" } });
      const { paymentId } = repeated.body;
      expect((await shop.get(path)).body).toMatchObject({
        outcomeUnknown: false,
        payments: [{ paymentId }],
      });
    },
  );
});

test("a create that finds nobody at the service's address is 503, and the number is free", async () => {
  const shop = await makeShop();
  await shop.stopService();
  const body = orderBody();
  const answer = await shop.create(body);
  expect(answer).toMatchObject({ status: 503, body: { type: problem("service-unreachable") } });
  expect(answer.headers.get("retry-after")).toBe("5");
  expect((await shop.get(`/orders/${orderNoOf(body)}`)).status).toBe(404);
  const again = await shop.create(orderBody({ paymentAmount: 24 }, { orderNo: orderNoOf(body) }));
  expect(again.status).toBe(503);
});
