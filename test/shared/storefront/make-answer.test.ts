import { describe, expect, test } from "vitest";
import { GatewayError } from "../../../shared/gateway/gateway-error.ts";
import { answerToProblem } from "../../../shared/storefront/make-answer.ts";
import { ProblemError, problemOf, usualProblem } from "../../../shared/storefront/problem.ts";
import { problemDescriptions, problemKinds } from "../../../shared/storefront/problem-kinds.ts";

function answerTo(error: unknown) {
  const { statusCode, headers, body } = answerToProblem(error);
  const problem = JSON.parse(body);
  expect(problem.status).toBe(statusCode);
  expect(headers["content-type"]).toBe("application/problem+json");
  return { statusCode, retryAfter: headers["retry-after"], problem };
}

const refusal = { code: "40001", msg: "sign is wrong" };

describe("a failure of the payment service", () => {
  test("is 502 if it refused, with its code and its words", () => {
    expect(answerTo(new GatewayError("refused", { refusal }))).toEqual({
      statusCode: 502,
      retryAfter: undefined,
      problem: {
        type: "urn:paycast:problem:service-refused",
        title: "The payment service refused the request",
        status: 502,
        detail: problemDescriptions["service-refused"].whatToDo,
        service: refusal,
      },
    });
  });

  test("is 503 if it is busy, to be tried again when the service says", () => {
    const error = new GatewayError("busy", { refusal, retryAfterSeconds: 17 });
    const type = "urn:paycast:problem:service-busy";
    const problem = { type, retryAfterSeconds: 17, service: refusal };
    expect(answerTo(error)).toMatchObject({ statusCode: 503, retryAfter: "17", problem });
  });

  test("is 503 if it could not be reached", () => {
    expect(answerTo(new GatewayError("unreachable"))).toMatchObject({
      statusCode: 503,
      retryAfter: "5",
      problem: { type: "urn:paycast:problem:service-unreachable", retryAfterSeconds: 5 },
    });
  });

  test.each(["timed-out", "unreadable"] as const)("is 504 if its answer is %s", (failure) => {
    const { problem, ...answer } = answerTo(new GatewayError(failure));
    expect(answer).toEqual({ statusCode: 504, retryAfter: "1" });
    expect(problem.type).toBe("urn:paycast:problem:outcome-unknown");
    expect(problem).not.toHaveProperty("service");
  });

  test("is 504 with the service's words if it refused under a server's error", () => {
    expect(answerTo(new GatewayError("unreadable", { refusal }))).toMatchObject({
      statusCode: 504,
      problem: { type: "urn:paycast:problem:outcome-unknown", service: refusal },
    });
  });
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
      "outcome-unknown": 504,
      unavailable: 503,
    });
  });
});
