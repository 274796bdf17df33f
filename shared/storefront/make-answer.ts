import { GatewayError } from "../gateway/gateway-error.ts";
import type { HttpAnswer } from "../http-answer.ts";
import { type Problem, ProblemError, usualProblem } from "./problem.ts";

export function jsonAnswer(
  statusCode: number,
  value: object,
  further: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const headers = { "content-type": "application/json", "cache-control": "no-store", ...further };
  return { statusCode, headers, body: JSON.stringify(value) };
}

/** The one place where an error becomes an HTTP status. An internal error's cause is never revealed. */
export function answerToProblem(error: unknown): HttpAnswer {
  const problem = problemFrom(error);
  const { retryAfterSeconds } = problem;
  return {
    statusCode: problem.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
    body: JSON.stringify(problem),
  };
}

const usualRetryAfterSeconds = 5;

function problemFrom(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof GatewayError) return problemOfGateway(error);
  return usualProblem("unavailable", { retryAfterSeconds: usualRetryAfterSeconds });
}

function problemOfGateway({ failure, refusal, retryAfterSeconds }: GatewayError): Problem {
  const service = refusal && { service: refusal };
  const wait = { retryAfterSeconds: retryAfterSeconds ?? usualRetryAfterSeconds };
  switch (failure) {
    case "refused":
      return usualProblem("service-refused", { ...service });
    case "busy":
      return usualProblem("service-busy", { ...wait, ...service });
    case "unreachable":
      return usualProblem("service-unreachable", wait);
    case "timed-out":
    case "unreadable":
      return usualProblem("outcome-unknown", { retryAfterSeconds: 1, ...service });
  }
}
