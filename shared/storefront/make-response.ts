import type { ProblemCode } from "../errors/error-codes.ts";
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
  const kind = problemKindOf(error);
  if (!(error instanceof GatewayError)) {
    return usualProblem(kind, { retryAfterSeconds: usualRetryAfterSeconds });
  }
  const { refusal, paymentId } = error;
  const service = refusal && { service: refusal };
  const payment = paymentId === undefined ? {} : { paymentId };
  return usualProblem(kind, { ...retryAfter(error), ...payment, ...service });
}

/** The only place where an error of a stage becomes a kind of problem, and with it an HTTP status. */
export function problemKindOf(error: unknown): ProblemCode {
  if (error instanceof ProblemError) return error.kind;
  if (!(error instanceof GatewayError)) return "unavailable";
  switch (error.failure) {
    case "refused":
      return "service-refused";
    case "busy":
      return "service-busy";
    case "unreachable":
      return "service-unreachable";
    case "incomplete":
      return "service-answer-incomplete";
    case "timed-out":
    case "disconnected":
    case "unreadable":
    case "other-order":
      return "outcome-unknown";
  }
}

function retryAfter({ failure, mayHaveActed, retryAfterSeconds }: GatewayError) {
  if (failure === "refused" || failure === "incomplete") return {};
  return { retryAfterSeconds: mayHaveActed ? 1 : (retryAfterSeconds ?? usualRetryAfterSeconds) };
}
