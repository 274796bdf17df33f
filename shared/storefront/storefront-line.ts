import { failureOf } from "../errors/failures.ts";
import { paymentStatuses, refundStatuses } from "../facts/event-types.ts";
import { codeForLog, GatewayError } from "../gateway/gateway-error.ts";
import type { HttpResponse } from "../http/http-response.ts";
import { failureFields } from "../telemetry/failure-fields.ts";
import {
  asError,
  type LogFields,
  type Metrics,
  type Outcome,
  type WriteLine,
} from "../telemetry/log-line.ts";
import { problemKindOf, problemResponse } from "./make-response.ts";
import { ProblemError } from "./problem.ts";
import { problemDescriptions } from "./problem-kinds.ts";

/** The fields and metrics that a call adds to its log line. */
export interface Trail {
  fields: Partial<LogFields>;
  metrics: Metrics;
}

interface Line {
  readonly now: () => number;
  readonly log: WriteLine;
}

/** Runs a call and writes its log line. An error becomes a problem document. */
export async function respondWithLine(
  trail: Trail,
  { now, log }: Line,
  answer: () => Promise<{ readonly outcome: Outcome; readonly answer: HttpResponse }>,
): Promise<HttpResponse> {
  const startedAt = now();
  const write = (outcome: Outcome | Error, answered: HttpResponse) => {
    const duration = now() - startedAt;
    const [fields, metrics] = describeStorefront(outcome, answered.statusCode, duration);
    log({ ...fields, ...trail.fields }, { ...metrics, ...trail.metrics });
    return answered;
  };
  try {
    const done = await answer();
    return write(done.outcome, done.answer);
  } catch (error) {
    return write(asError(error), problemResponse(error));
  }
}

/** The call's outcome, and the service's code if it refused. */
function describeStorefront(
  outcome: Outcome | Error,
  httpStatus: number,
  durationMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const isRefused = outcome instanceof GatewayError && outcome.failure === "refused";
  const isUnknownPayment = outcome instanceof ProblemError && outcome.code === "payment-unknown";
  const counted = {
    Answered: 1,
    // A refusal has its own metric.
    ...(httpStatus >= 500 && !isRefused && { ServerFault: 1 }),
    ...(httpStatus === problemDescriptions["outcome-unknown"].status && { OutcomeUnknown: 1 }),
  };
  if (typeof outcome === "string") return [{ outcome, httpStatus, durationMilliseconds }, counted];
  const fields: LogFields = {
    outcome: "problem",
    problem: problemKindOf(outcome),
    ...whyOf(outcome),
    serviceCode: codeForLog(outcome instanceof ProblemError ? outcome.cause : outcome),
    httpStatus,
    durationMilliseconds,
  };
  // A caller that queries unknown payments is no reason to doubt the keys.
  const about = isUnknownPayment ? { PaymentUnknown: 1 } : isRefused && { ServiceRefused: 1 };
  return [fields, { ...counted, ...about }];
}

/** The cause is more precise than the problem: it names the stage that failed. */
function whyOf(error: Error): Partial<LogFields> {
  if (!(error instanceof ProblemError)) return failureFields(error);
  const { cause } = error;
  return cause === undefined ? failureOf(error) : failureFields(cause);
}

/** Only a status of the interface is logged: any other value may be any text. */
export function statusForLog(status: string): string {
  const known: readonly string[] = [...paymentStatuses, ...refundStatuses];
  return known.includes(status) ? status : "not-a-status";
}

/**
 * A notice that could not be stored is in no list, so it counts as new attention, in the metrics of count-attention.
 */
export function noteUnwritten({ fields }: Trail, error: unknown, logAsCounter: WriteLine): void {
  const line: LogFields = { ...fields, outcome: "notice-not-written", ...failureFields(error) };
  logAsCounter(line, { NewAttention: 1 });
}
