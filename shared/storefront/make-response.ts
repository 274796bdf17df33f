import { GatewayError } from "../gateway/gateway-error.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { type Problem, ProblemError, usualProblem } from "./problem.ts";

export function jsonResponse(
  statusCode: number,
  value: object,
  further: Readonly<Record<string, string>> = {},
): HttpResponse {
  const headers = { "content-type": "application/json", "cache-control": "no-store", ...further };
  return { statusCode, headers, body: JSON.stringify(value) };
}

/** The only place where a storefront error becomes an HTTP status. The cause of an internal error is never revealed. */
export function problemResponse(error: unknown): HttpResponse {
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
