import { GatewayError } from "../gateway/gateway-error.ts";
import { type Problem, ProblemError, problemOf } from "./problem.ts";

export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function jsonAnswer(statusCode: number, value: object): HttpAnswer {
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  return { statusCode, headers, body: JSON.stringify(value) };
}

/** The one place where an error becomes an HTTP status. A fault of our own tells nothing of itself. */
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

function problemFrom(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof GatewayError) return problemOfGateway(error);
  return problemOf("unavailable", "Something on our side failed. Try again in a moment.", {
    retryAfterSeconds: 5,
  });
}

function problemOfGateway({ failure, refusal }: GatewayError): Problem {
  switch (failure) {
    case "refused":
      return problemOf(
        "service-refused",
        "Mend what the service names, and send the order again.",
        {
          ...(refusal && { service: refusal }),
        },
      );
    case "unreachable":
      return problemOf(
        "service-unreachable",
        "Nothing was sent. The same order may be sent again.",
        {
          retryAfterSeconds: 5,
        },
      );
    case "timed-out":
    case "unreadable":
      return problemOf(
        "outcome-unknown",
        "The order may or may not exist at the service. Send the same order again, or wait for its callback.",
        { retryAfterSeconds: 1 },
      );
  }
}
