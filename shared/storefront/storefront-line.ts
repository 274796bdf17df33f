import { paymentStatuses, refundStatuses } from "../facts/event-types.ts";
import { codeForLog, GatewayError } from "../gateway/gateway-error.ts";
import { errorFields, type LogFields, type Metrics, type Outcome } from "../telemetry/log-line.ts";
import { ProblemError } from "./problem.ts";
import { problemDescriptions } from "./problem-kinds.ts";

/** One log line per storefront call: its result, and the service's code if it refused. */
export function describeStorefront(
  outcome: Outcome | Error,
  httpStatus: number,
  durationMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const isRefused = outcome instanceof GatewayError && outcome.failure === "refused";
  const isUnknownPayment = outcome instanceof ProblemError && outcome.code === "payment-unknown";
  // A refusal has its own metric and alarm.
  const counted = {
    ...{ Answered: 1, ServerFault: httpStatus >= 500 && !isRefused ? 1 : 0 },
    ...(httpStatus === problemDescriptions["outcome-unknown"].status && { OutcomeUnknown: 1 }),
  };
  if (typeof outcome === "string") return [{ outcome, httpStatus, durationMilliseconds }, counted];
  const fields: LogFields = {
    outcome: "problem",
    ...whyOf(outcome),
    serviceCode: codeForLog(outcome instanceof ProblemError ? outcome.cause : outcome),
    httpStatus,
    durationMilliseconds,
  };
  // A caller who asks for payments that nobody knows is no reason to doubt the keys.
  const about = isUnknownPayment ? { PaymentUnknown: 1 } : { ServiceRefused: isRefused ? 1 : 0 };
  return [fields, { ...counted, ...about }];
}

function whyOf(error: Error): Partial<LogFields> {
  if (!(error instanceof ProblemError)) return errorFields(error);
  const { problem, cause } = error;
  return { reason: problem.type, ...(cause !== undefined && errorFields(cause)) };
}

/** Only a status of the interface is logged: anything else may be any text. */
export function statusForLog(status: string): string {
  const known: readonly string[] = [...paymentStatuses, ...refundStatuses];
  return known.includes(status) ? status : "not-a-status";
}
