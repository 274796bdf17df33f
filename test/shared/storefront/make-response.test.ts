import { describe, expect, test } from "vitest";
import type { ProblemCode } from "../../../shared/errors/error-codes.ts";
import { GatewayError, type GatewayFailure } from "../../../shared/gateway/gateway-error.ts";
import { problemResponse } from "../../../shared/storefront/make-response.ts";
import { ProblemError, problemOf, usualProblem } from "../../../shared/storefront/problem.ts";
import { problemDescriptions, problemKinds } from "../../../shared/storefront/problem-kinds.ts";

function answerTo(error: unknown) {
  const { statusCode, headers, body } = problemResponse(error);
  const problem = JSON.parse(body);
  expect(problem.status).toBe(statusCode);
  expect(headers["content-type"]).toBe("application/problem+json");
  return { statusCode, retryAfter: headers["retry-after"], problem };
}

const refusal = { code: "40001", msg: "sign is wrong" };

type Row = [
  failure: GatewayFailure,
  response: ConstructorParameters<typeof GatewayError>[1],
  kind: ProblemCode,
  extras: Parameters<typeof usualProblem>[1],
];

test.each<Row>([
  ["refused", { refusal }, "service-refused", { service: refusal }],
  [
    "busy",
    { refusal, retryAfterSeconds: 17 },
    "service-busy",
    { retryAfterSeconds: 17, service: refusal },
  ],
  ["unreachable", {}, "service-unreachable", { retryAfterSeconds: 5 }],
  ["timed-out", {}, "outcome-unknown", { retryAfterSeconds: 1 }],
  ["disconnected", {}, "outcome-unknown", { retryAfterSeconds: 1 }],
  ["other-order", {}, "outcome-unknown", { retryAfterSeconds: 1 }],
  ["incomplete", { paymentId: "P1" }, "service-answer-incomplete", { paymentId: "P1" }],
  ["unreadable", {}, "outcome-unknown", { retryAfterSeconds: 1 }],
  ["unreadable", { refusal }, "outcome-unknown", { retryAfterSeconds: 1, service: refusal }],
])("a call to the payment service that is %s (%j) is the problem %s", (...row) => {
  const [failure, details, kind, extras] = row;
  const { problem, retryAfter } = answerTo(new GatewayError(failure, details));
  expect(problem).toEqual(usualProblem(kind, extras));
  expect(retryAfter).toBe(extras?.retryAfterSeconds?.toString());
});

describe("any other error", () => {
  test("is 503 and reveals nothing about its cause", () => {
    const { statusCode, problem } = answerTo(new Error("Canary: table arn:aws:dynamodb"));
    expect(statusCode).toBe(503);
    expect(problem).toEqual(usualProblem("unavailable", { retryAfterSeconds: 5 }));
  });

  test("that is a problem is answered as it is", () => {
    const problem = problemOf("route-unknown", "There is no PUT here.");
    expect(answerTo(new ProblemError("route-unknown", "There is no PUT here."))).toMatchObject({
      statusCode: 404,
      problem,
    });
  });
});

describe("every kind of problem", () => {
  test.each(problemKinds)(
    "%s has a title without a stop, and says when it comes and what to do",
    (kind) => {
      const { status, title, when, whatToDo } = problemDescriptions[kind];
      expect(status).toBeGreaterThanOrEqual(400);
      expect(title).toMatch(/^[A-Z].*[^.]$/);
      for (const sentence of [when, whatToDo]) expect(sentence).toMatch(/^[A-Z][^|\n]*\.$/);
    },
  );

  test("carries nothing of its description but title, status and advice", () => {
    expect(usualProblem("order-unknown")).toEqual({
      type: "urn:paycast:problem:order-unknown",
      title: "There is no such order",
      status: 404,
      detail: "Check the `orderNo` and the `merchantId`.",
    });
  });

  test("has the status that storefronts rely on", () => {
    const statuses = problemKinds.map((kind) => [kind, problemDescriptions[kind].status]);
    expect(Object.fromEntries(statuses)).toEqual({
      "body-invalid": 400,
      "body-too-large": 413,
      "merchant-unknown": 400,
      "order-differs": 409,
      "order-exists": 409,
      "order-in-progress": 409,
      "order-unknown": 404,
      "payment-unknown": 404,
      "route-unknown": 404,
      "service-refused": 502,
      "service-busy": 503,
      "service-unreachable": 503,
      "service-no-answer": 503,
      "service-answer-incomplete": 502,
      "outcome-unknown": 504,
      unavailable: 503,
    });
  });
});
