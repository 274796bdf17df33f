import { describe, expect, test } from "vitest";
import { outOfTime } from "../../../shared/errors/out-of-time.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { Stage } from "../../../shared/errors/stages.ts";
import { GatewayError, type GatewayFailure } from "../../../shared/gateway/gateway-error.ts";
import { newPayment } from "../../../shared/orders/payment.ts";
import type { CreateOrder } from "../../../shared/storefront/create-order.ts";
import { createExpiringCache } from "../../../shared/storefront/expiring-cache.ts";
import { type QueryOrder, queryOrder } from "../../../shared/storefront/query-order.ts";
import { TableError } from "../../../shared/table/table-error.ts";
import type { LogFields, WriteLine } from "../../../shared/telemetry/log-line.ts";
import {
  type CauseName,
  causeOf,
  causeWords,
} from "../../../tools/operations/overview/failure-words.ts";
import { createInMemory, paid } from "./create-in-memory.ts";
import { now, orderBody } from "./order-body.ts";

/* From each fault of each party to the line, the caller's answer and the words that an operator reads. */

type Row = [
  fault: string,
  happens: Partial<CreateOrder>,
  answer: [status: number, problem: string],
  line: [stage: Stage, reason: string],
  operator: CauseName,
];

const fails = (error: unknown) => () => Promise.reject(error);
const calling = (failure: GatewayFailure) => ({
  createPayment: fails(new GatewayError(failure)),
});
const table = (code: ConstructorParameters<typeof TableError>[0]) =>
  new TableError(code, new Error("the SDK's own"));
const keys = (code: "keys-unset" | "keys-unreachable") => ({
  createPayment: fails(new PaycastError(code, "any", { retryable: true })),
});
const answering = (state: "incomplete" | "other-order") => ({
  createPayment: async () => ({ ...paid, state }),
});

async function create(happens: Partial<CreateOrder>, body: object = orderBody()) {
  const lines: Parameters<WriteLine>[] = [];
  const answer = await createInMemory({
    log: (...written) => void lines.push(written),
    body,
    changes: happens,
  });
  const { type, paymentId } = JSON.parse(answer.body);
  const [line, metrics] = lines.at(-1)!;
  return { answered: [answer.statusCode, type.split(":").at(-1)], paymentId, line, metrics };
}

describe("a creation that fails by a fault of", () => {
  test.each<Row>([
    [
      "AWS, in the table before the call",
      { begin: fails(table("table-throttled")) },
      [503, "unavailable"],
      ["table", "table-throttled"],
      "dynamodb",
    ],
    [
      "us, who took the table's permission",
      { begin: fails(table("table-denied")) },
      [503, "unavailable"],
      ["table", "table-denied"],
      "changed",
    ],
    [
      "AWS, in the table after the call",
      { storePayment: fails(table("table-unavailable")) },
      [504, "outcome-unknown"],
      ["table", "table-unavailable"],
      "dynamodb",
    ],
    [
      "AWS, which does not return the keys",
      keys("keys-unreachable"),
      [503, "unavailable"],
      ["keys", "keys-unreachable"],
      "secrets-manager",
    ],
    [
      "us, who set no keys",
      keys("keys-unset"),
      [503, "unavailable"],
      ["keys", "keys-unset"],
      "keys",
    ],
    [
      "us, whose time was over",
      { createPayment: fails(outOfTime()) },
      [503, "unavailable"],
      ["function", "out-of-time"],
      "slow",
    ],
    [
      "us, whose code is wrong",
      { createPayment: fails(new TypeError("any")) },
      [503, "unavailable"],
      ["function", "unexpected-error"],
      "function",
    ],
    [
      "the service, which rejects it",
      calling("refused"),
      [502, "service-refused"],
      ["service", "gateway-refused"],
      "service-refuses",
    ],
    [
      "the service, which is busy",
      calling("busy"),
      [503, "service-busy"],
      ["service", "gateway-busy"],
      "service-away",
    ],
    [
      "the service, which is not there",
      calling("unreachable"),
      [503, "service-unreachable"],
      ["service", "gateway-unreachable"],
      "service-away",
    ],
    [
      "the service, which is silent",
      calling("timed-out"),
      [504, "outcome-unknown"],
      ["service", "gateway-timed-out"],
      "service-away",
    ],
    [
      "the service, which hangs up",
      calling("disconnected"),
      [504, "outcome-unknown"],
      ["service", "gateway-disconnected"],
      "service-away",
    ],
    [
      "the service, which cannot be read",
      calling("unreadable"),
      [504, "outcome-unknown"],
      ["service", "gateway-unreadable"],
      "service-answers",
    ],
    [
      "the service, which leaves out the checkout",
      answering("incomplete"),
      [502, "service-answer-incomplete"],
      ["service", "gateway-incomplete"],
      "service-answers",
    ],
    [
      "the service, which names another order",
      answering("other-order"),
      [504, "outcome-unknown"],
      ["service", "gateway-other-order"],
      "service-answers",
    ],
  ])("%s", async (_fault, happens, answer, [stage, reason], operator) => {
    const { answered, line, metrics } = await create(happens);
    expect(answered).toEqual(answer);
    expect(metrics).not.toHaveProperty("Created");
    expect(line).toMatchObject({ outcome: "problem", stage, reason, problem: answer[1] });
    expect(causeOf({ stage: line.stage, reason: line.reason })).toBe(operator);
    const blamesService = /(?:Contact|ask) the payment service/.test(causeWords[operator].todo);
    expect(blamesService).toBe(stage === "service");
  });

  test("the caller is the caller's", async () => {
    const { answered, line } = await create({}, orderBody({ channel: "FAX" }));
    expect(answered).toEqual([400, "body-invalid"]);
    expect(line).toMatchObject({ stage: "request", reason: "body-invalid" });
  });
});

test("a payment id that the table refused is in the answer and in the line", async () => {
  const { paymentId, line } = await create({ storePayment: fails(table("table-unavailable")) });
  expect(paymentId).toBe("P1");
  expect(line.paymentId).toBe("P1");
});

test("a payment of another order is not shown as this order's, even if the table fails then", async () => {
  const { answered, paymentId, line } = await create({
    ...answering("other-order"),
    storeOtherOrder: fails(table("table-unavailable")),
  });
  expect(answered).toEqual([504, "outcome-unknown"]);
  expect(paymentId).toBeUndefined();
  expect(line).toMatchObject({ stage: "service", reason: "gateway-other-order" });
});

describe("a query about a payment that is not known here, and that fails by a fault of", () => {
  type QueryRow = [string, Partial<QueryOrder>, [number, string], [Stage, string]];
  const querying = (failure: GatewayFailure) => ({
    queryPayment: fails(new GatewayError(failure)),
  });

  test.each<QueryRow>([
    [
      "us, whose time was over",
      { hasTimeToAsk: () => false },
      [503, "unavailable"],
      ["function", "out-of-time"],
    ],
    [
      "AWS, in the table",
      { loadPayment: fails(table("table-throttled")) },
      [503, "unavailable"],
      ["table", "table-throttled"],
    ],
    [
      "us, who set no keys",
      { queryPayment: keys("keys-unset").createPayment },
      [503, "unavailable"],
      ["keys", "keys-unset"],
    ],
    [
      "the service, which rejects it",
      querying("refused"),
      [404, "payment-unknown"],
      ["service", "gateway-refused"],
    ],
    [
      "the service, which is not there",
      querying("unreachable"),
      [503, "service-unreachable"],
      ["service", "gateway-unreachable"],
    ],
    [
      "the service, which is silent",
      querying("timed-out"),
      [503, "service-no-answer"],
      ["service", "gateway-timed-out"],
    ],
    [
      "the service, which cannot be read",
      { queryPayment: async () => ({ status: "odd" }) },
      [503, "service-no-answer"],
      ["service", "gateway-unreadable"],
    ],
    [
      "the caller, who names no merchant of ours",
      { merchantIds: ["M2"] },
      [400, "merchant-unknown"],
      ["request", "merchant-unknown"],
    ],
  ])("%s", async (_fault, happens, answer, [stage, reason]) => {
    const lines: LogFields[] = [];
    const notUsed = fails(new Error("This is not used here."));
    const deps: QueryOrder = {
      merchantIds: ["M1"],
      loadOrder: notUsed,
      loadPayments: notUsed,
      saveOrder: notUsed,
      sendToInbox: notUsed,
      loadPayment: async () => newPayment("M1", "P1"),
      queryPayment: notUsed,
      refusals: createExpiringCache(1, 1, () => now),
      hasTimeToAsk: () => true,
      onFailure: () => {},
      onRefundStatus: () => {},
      traceparent: () => "",
      random: () => 0.5,
      now: () => now,
      log: (line) => void lines.push(line),
      ...happens,
    };
    const request = {
      routeKey: "GET /payments/{paymentId}",
      pathParameters: { paymentId: "P1" },
      queryStringParameters: { merchantId: "M1" },
    };
    const { statusCode, body } = await queryOrder(request, deps);
    expect([statusCode, JSON.parse(body).type.split(":").at(-1)]).toEqual(answer);
    expect(lines.at(-1)).toMatchObject({ stage, reason, problem: answer[1] });
  });
});
