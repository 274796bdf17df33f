import { describe, expect, test } from "vitest";
import type { FaultInput } from "../../local/simulator/fault.ts";
import { logOf } from "../integration/flow.ts";
import { closedPort } from "../shared/gateway/raw-server.ts";
import { type Fields, orderBody, orderNoOf } from "./order.ts";
import { type Answer, type Shop, useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;

async function createUnder(shop: Shop, fault: FaultInput, body: Fields): Promise<Answer> {
  shop.simulator.addFault({ ...fault, times: 1 });
  const answer = await shop.create(body);
  shop.simulator.clearFaults();
  return answer;
}

describe("a create that the service refuses", () => {
  test.each([
    [
      "by a code as a number",
      {},
      { kind: "refuse-creates", code: 40777, msg: "closed" },
      "40777",
      "closed",
    ],
    [
      "by a code as a string",
      { numbers: "string" as const },
      { kind: "refuse-creates", code: 40777, msg: "closed" },
      "40777",
      "closed",
    ],
    ["by HTTP 404 without a word", {}, { kind: "broken-answer", how: "http-404" }, "http-404", ""],
  ] as const)(
    "%s is answered with its words, and the number is free",
    async (_, profile, fault, code, msg) => {
      const shop = await makeShop({ profile });
      const body = orderBody();
      const refused = await createUnder(shop, fault, body);
      expect(refused.status).toBe(422);
      expect(refused.headers.get("content-type")).toBe("application/problem+json");
      expect(refused.body).toEqual({
        type: problem("service-refused"),
        title: "The payment service refused the order",
        status: 422,
        detail: "Mend what the service names, and send the order again.",
        service: { code, msg },
      });
      expect((await shop.get(`/orders/${orderNoOf(body)}`)).body["type"]).toBe(
        problem("order-unknown"),
      );
      const other = orderBody({ paymentAmount: 24 }, { orderNo: orderNoOf(body) });
      if (fault.kind === "refuse-creates") {
        expect(await shop.create(other)).toMatchObject({
          status: 201,
          body: { status: "pending" },
        });
      }
    },
  );

  test("under HTTP 503 may have been made all the same: the number is not free", async () => {
    const shop = await makeShop();
    const body = orderBody();
    const [code, msg] = [50300, "busy"];
    const fault = { kind: "refuse-creates", code, msg, httpStatus: 503 } as const;
    const refused = await createUnder(shop, fault, body);
    expect(refused).toMatchObject({ status: 422, body: { service: { code: "50300", msg } } });
    const orderNo = orderNoOf(body);
    expect((await shop.get(`/orders/${orderNo}`)).body["outcomeUnknown"]).toBe(true);
    const other = orderBody({ paymentAmount: 24 }, { orderNo });
    expect((await shop.create(other)).body["type"]).toBe(problem("order-differs"));
    expect((await shop.create(body)).status).toBe(201);
  });

  test("by the rules of the service itself is answered with what it names", async () => {
    const shop = await makeShop();
    const paymentTime = Date.now() - 86_400_000;
    const answer = await shop.create(orderBody({ paymentTime }));
    expect(answer.body["service"]).toEqual({
      code: expect.stringMatching(/^\d{5}$/),
      msg: expect.stringContaining("paymentExpiryTime must be in the future"),
    });
  });
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
    async (_, fault) => {
      const shop = await makeShop();
      const body = orderBody();
      const orderNo = orderNoOf(body);
      const lost = await createUnder(shop, fault, body);
      expect(lost).toMatchObject({
        status: 504,
        body: { type: problem("outcome-unknown"), retryAfterSeconds: 1 },
      });
      expect(lost.headers.get("retry-after")).toBe("1");
      expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
        status: "pending",
        outcomeUnknown: true,
        stale: false,
        paymentIds: [],
      });
      expect(await shop.create(orderBody({ paymentAmount: 24 }, { orderNo }))).toMatchObject({
        status: 409,
        body: { type: problem("order-differs") },
      });
      const repeated = await shop.create(body);
      expect(repeated).toMatchObject({
        status: 201,
        body: { referOrderNo: orderNo, status: "pending" },
      });
      expect((await shop.get(`/orders/${orderNo}`)).body).toMatchObject({
        outcomeUnknown: false,
        paymentIds: [repeated.body["paymentId"]],
      });
    },
  );
});

describe("a create that cannot be sent", () => {
  test("because nobody listens there is 503, and the number is free", async () => {
    const { origin } = await closedPort();
    const shop = await makeShop({ gateway: { baseUrl: origin } });
    const body = orderBody();
    const answer = await shop.create(body);
    expect(answer).toMatchObject({ status: 503, body: { type: problem("service-unreachable") } });
    expect(answer.headers.get("retry-after")).toBe("5");
    expect(await shop.order(orderNoOf(body))).toMatchObject({ create: { state: "refused" } });
    const again = await shop.create(orderBody({ paymentAmount: 24 }, { orderNo: orderNoOf(body) }));
    expect(again.status).toBe(503);
  });

  test("because the keys were never set is 503, says nothing of why, and logs it", async () => {
    const shop = await makeShop();
    const unset = await shop.start("create-order", {
      REQUEST_KEYS: JSON.stringify({ [shop.world.merchant.merchantId]: "no-such-secret" }),
    });
    const event = { body: JSON.stringify(orderBody()), isBase64Encoded: false };
    const outcome = await unset.invoke(event);
    expect(outcome).toMatchObject({ kind: "returned", value: { statusCode: 503 } });
    expect(JSON.stringify(outcome)).not.toContain("secret");
    expect(logOf(unset)).toMatchObject([
      { outcome: "keys-problem", reason: "keys-unset" },
      { outcome: "problem", errorCode: "keys-unset", httpStatus: 503, ServerFault: 1 },
    ]);
    expect(shop.simulator.orders()).toEqual([]);
  });

  test("because the table is down is 503, and the service hears nothing of it", async () => {
    const shop = await makeShop();
    const { faults } = await shop.creator();
    faults.fail((call) => call.service === "dynamodb", { kind: "cut" });
    expect(await shop.create()).toMatchObject({
      status: 503,
      body: { type: problem("unavailable") },
    });
    expect(shop.simulator.orders()).toEqual([]);
  });
});
