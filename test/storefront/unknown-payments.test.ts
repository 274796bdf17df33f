import { describe, expect, test } from "vitest";
import { unknownPaymentMilliseconds } from "../../shared/timing.ts";
import { eventsOf, logOf } from "../integration/flow.ts";
import { refundFact } from "../shared/orders/facts.ts";
import { HttpReply, type ServiceAnswer } from "./openssl-service.ts";
import { makeOpensslShop, success } from "./openssl-shop.ts";
import { reportRefund } from "./report.ts";
import { useShops } from "./shop.ts";

const makeShop = useShops();
const problem = (kind: string) => `urn:paycast:problem:${kind}`;
const ask = async (answer: ServiceAnswer) => await makeOpensslShop(makeShop, {}, answer);
const paid = { status: "success", payAmount: 12.5, currency: "EUR", referOrderNo: "ELSEWHERE" };
const refusal = { code: 40401, msg: "paymentId is not known" };

describe("a payment that nobody here knows", () => {
  test("is 404 with the service's words if it refuses, and costs no call for the next minute", async () => {
    const { shop, service } = await ask(() => refusal);
    const querier = await shop.querier();
    const first = await shop.get("/payments/P9");
    expect(first).toMatchObject({
      status: 404,
      body: { type: problem("payment-unknown"), service: { code: "40401", msg: refusal.msg } },
    });
    querier.advance(unknownPaymentMilliseconds / 2);
    expect(await shop.get("/payments/P9")).toMatchObject({ status: 404, body: first.body });
    expect(service.requests).toHaveLength(1);
    expect((await shop.get("/payments/P8")).status).toBe(404);
    expect(service.requests).toHaveLength(2);
    querier.advance(unknownPaymentMilliseconds);
    await shop.get("/payments/P9");
    expect(service.requests).toHaveLength(3);
    const [line] = logOf(querier);
    expect(line).toMatchObject({
      outcome: "problem",
      problem: "payment-unknown",
      stage: "service",
      merchantId: shop.world.merchant.merchantId,
      paymentId: "P9",
      reason: "gateway-refused",
      serviceCode: "40401",
      httpStatus: 404,
      Answered: 1,
      PaymentUnknown: 1,
    });
    expect(line).not.toHaveProperty("ServiceRefused");
  });

  test("is 503 with a time to wait if the service is busy, which is not remembered", async () => {
    const { shop, service } = await ask((_request, count) =>
      count === 1 ? new HttpReply(429, refusal, { "retry-after": "9" }) : success(paid),
    );
    const busy = await shop.get("/payments/P9");
    expect(busy).toMatchObject({ status: 503, body: { type: problem("service-busy") } });
    expect(busy.headers.get("retry-after")).toBe("9");
    expect((await shop.get("/payments/P9")).status).toBe(200);
    expect(service.requests).toHaveLength(2);
  });

  test.each<[string, unknown, string]>([
    ["in words that are no JSON", "no JSON", "gateway-unreadable"],
    ["with a status that nobody knows", success({ status: "paid" }), "gateway-unreadable"],
    ["with a success without an amount", success({ status: "success" }), "gateway-unreadable"],
    ["under HTTP 500", new HttpReply(500, refusal), "gateway-unreadable"],
  ])(
    "is 503 if the service answers %s, and the line says why",
    async (_case, answer, errorCode) => {
      const { shop } = await ask(() => answer);
      const found = await shop.get("/payments/P9");
      expect(found).toMatchObject({ status: 503, body: { type: problem("service-no-answer") } });
      expect(found.headers.get("retry-after")).toBe("5");
      expect(logOf(await shop.querier()).at(-1)).toMatchObject({
        problem: "service-no-answer",
        paymentId: "P9",
        reason: errorCode,
      });
    },
  );

  test("is 503 if the service cannot be reached", async () => {
    const shop = await makeShop();
    await shop.stopService();
    const answer = await shop.get("/payments/NONE");
    expect(answer).toMatchObject({ status: 503, body: { type: problem("service-unreachable") } });
    expect(answer.headers.get("retry-after")).toBe("5");
  });

  test("is 404 if the answer names another merchant, and shows nothing of it", async () => {
    const { shop } = await ask(() => success({ ...paid, merchantId: "208800000000000009" }));
    const answer = await shop.get("/payments/P9");
    expect(answer).toMatchObject({ status: 404, body: { type: problem("payment-unknown") } });
    expect(JSON.stringify(answer.body)).not.toMatch(/ELSEWHERE|12\.5/);
  });

  test("is 404 without a call if no payment's id is so long", async () => {
    const { shop, service } = await ask(() => success(paid));
    const answer = await shop.get(`/payments/${"x".repeat(3_000)}`);
    expect(answer).toMatchObject({ status: 404, body: { type: problem("payment-unknown") } });
    expect(service.requests).toEqual([]);
  });

  test("and the service does is answered from there, and not kept", async () => {
    const { shop } = await ask(() => success({ ...paid, paidTime: "yesterday" }));
    expect(await shop.get("/payments/P9")).toMatchObject({
      status: 200,
      body: {
        orderNo: "ELSEWHERE",
        paymentId: "P9",
        status: "success",
        statusOrigin: "query",
        paidAmount: { value: "12.50", minor: "1250", currency: "EUR" },
        flags: ["unknownOrder", "unreadableTime"],
        refunds: [],
        sequence: 0,
        payments: [{ paymentId: "P9", sequence: 0 }],
        stale: false,
      },
    });
    expect(await shop.payment("P9")).toBeUndefined();
    expect(await shop.order("ELSEWHERE")).toBeUndefined();
    await shop.pump();
    expect(await eventsOf(shop.world, "books")).toEqual([]);
    expect((await shop.get("/orders/ELSEWHERE")).status).toBe(404);
  });

  test.each(["refunding", "refund_success", "refund_failed"])(
    "and the service does as %s was paid, without what may be the refund's",
    async (status) => {
      const { shop } = await ask(() => success({ ...paid, status, paidTime: Date.now() }));
      const { status: httpStatus, body } = await shop.get("/payments/P9");
      expect(httpStatus).toBe(200);
      expect(body).toMatchObject({
        paymentId: "P9",
        status: "success",
        refundStatus: status,
        stale: false,
        amount: { value: "12.50", minor: "1250", currency: "EUR" },
        flags: [...(status === "refund_failed" ? [] : ["refunded"]), "unknownOrder"],
      });
      for (const field of ["orderNo", "paidAmount", "transactionId", "completedAt"]) {
        expect(body).not.toHaveProperty(field);
      }
    },
  );

  test("but of which refunds were reported is answered with them beside it", async () => {
    const { shop } = await ask(() => success(paid));
    await reportRefund(shop.world, refundFact({ paymentId: "P9" }));
    const { body } = await shop.get("/payments/P9");
    expect(body).toMatchObject({
      status: "success",
      refunds: [{ refundId: "R1", status: "refund_success", amount: { value: "2.5" } }],
      flags: ["unknownOrder"],
      payments: [{ paymentId: "P9", sequence: 1 }],
    });
    expect(body).not.toHaveProperty("refundedAmount");
  });
});
