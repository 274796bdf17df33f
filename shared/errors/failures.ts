import type { KeyCode, ProblemCode, ReasonCode, RefusalReason } from "./error-codes.ts";
import { PaycastError } from "./paycast-error.ts";
import type { Stage } from "./stages.ts";

/*
 * Every unsuccessful line of the log has a stage and a reason. Each error belongs to the stage in which it happened, so
 * that it names the right party. People and tools decide by these two alone.
 */

/** What an error that nobody expected is called. The line has its name. */
export const unexpected = "unexpected-error";

/** Problems that the caller of the storefront caused. For the others the line has the reason of their cause. */
type CallerProblem = Exclude<
  ProblemCode,
  | "service-refused"
  | "service-busy"
  | "service-unreachable"
  | "service-no-answer"
  | "service-answer-incomplete"
  | "outcome-unknown"
  | "unavailable"
>;

export type FailureCode = ReasonCode | CallerProblem;

/** The stage of each error that Paycast throws on purpose. */
export const stageOfCode: Readonly<Record<FailureCode, Stage>> = {
  "body-invalid": "request",
  "body-too-large": "request",
  "merchant-unknown": "request",
  "order-differs": "request",
  "order-exists": "request",
  "order-in-progress": "request",
  "order-unknown": "request",
  "payment-unknown": "request",
  "route-unknown": "request",
  "not-an-envelope": "request",
  "too-large": "request",
  "source-not-allowed": "request",
  "not-authentic": "authentication",
  "stamp-missing": "authentication",
  "stamp-wrong": "authentication",
  "unknown-merchant": "keys",
  "keys-unset": "keys",
  "keys-invalid": "keys",
  "profile-invalid": "keys",
  "profile-unsafe": "keys",
  "keys-unreachable": "keys",
  "body-not-decrypted": "keys",
  "stamp-unchecked": "keys",
  "table-throttled": "table",
  "table-unavailable": "table",
  "table-denied": "table",
  "table-missing": "table",
  "aggregate-contended": "table",
  "item-newer": "table",
  "item-too-large": "table",
  "record-unreadable": "table",
  "inbox-unavailable": "inbox",
  "inbox-message-newer": "inbox",
  "inbox-message-unreadable": "inbox",
  "dead-letters-unavailable": "inbox",
  "gateway-refused": "service",
  "gateway-busy": "service",
  "gateway-unreachable": "service",
  "gateway-timed-out": "service",
  "gateway-disconnected": "service",
  "gateway-unreadable": "service",
  "gateway-incomplete": "service",
  "gateway-other-order": "service",
  "plaintext-not-utf-8": "result",
  "result-unreadable": "result",
  "result-contradicted": "result",
  "number-inexact": "result",
  "event-unknown": "result",
  "event-differs": "result",
  "merchant-differs": "result",
  "event-too-large": "result",
  "amount-malformed": "result",
  "amount-negative": "result",
  "amount-zero": "result",
  "amount-too-precise": "result",
  "amount-too-large": "result",
  "amount-inexact": "result",
  "currency-unknown": "result",
  "currency-mismatch": "result",
  "time-out-of-range": "result",
  "subscriber-unreachable": "delivery",
  "out-of-time": "function",
  "processing-failed": "function",
};

/** Why a subscriber does not have an event. */
export type DeliveryReason =
  | "subscriber-gone"
  | "subscriber-refused"
  | "subscriber-failed"
  | "subscriber-no-response"
  | "subscriber-untried";

/** SQS did not accept a rejected callback that was to be captured. */
type CaptureReason = "capture-unavailable";

/** SQS did not make a message visible again soon: it waits for the queue's whole visibility timeout. */
type ReturnReason = "visibility-unchanged";

/** Why a redrive does nothing. */
type IgnoredReason = "record-gone" | "record-dismissed" | "other-group";

export type Reason =
  | FailureCode
  | RefusalReason
  | DeliveryReason
  | CaptureReason
  | ReturnReason
  | IgnoredReason
  /** The same of the previous version of the keys, which matters only for callbacks signed with it. */
  | `previous-${KeyCode}`
  | typeof unexpected;

export interface Failure {
  readonly stage: Stage;
  readonly reason: Reason;
}

/** The stage and the reason of an error. One that is not typed is a fault of our own code. */
export function failureOf(error: unknown): Failure {
  const reason = error instanceof PaycastError ? error.code : unexpected;
  return isFailureCode(reason)
    ? { stage: stageOfCode[reason], reason }
    : { stage: "function", reason: unexpected };
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(stageOfCode, code);
}
