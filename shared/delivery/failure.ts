import type { BatchResultErrorEntry } from "@aws-sdk/client-sqs";
import { isSlowDown } from "../errors/aws-fault.ts";

/** Why a subscriber does not have an event. */
export interface Failure {
  readonly subscriber: string;
  /** The name of the error, for people. */
  readonly errorName: string;
  readonly kind: FailureKind;
}

export type FailureKind =
  /** The queue does not exist, or its KMS key is disabled or deleted. */
  | "gone"
  /** SQS rejected the event, for example because it denies access. Or the config no longer has the subscriber. */
  | "refused"
  /** SQS was too busy, or had an internal error. */
  | "failed"
  /** No response came before the time limit. */
  | "no-response"
  /** Not sent: the queue hung when an earlier event of the same batch was sent. */
  | "untried";

/**
 * The errors of SQS for a queue that does not exist, or whose KMS key is disabled, scheduled for deletion or deleted: first
 * the names of the JSON protocol, then those of the query protocol. Denied access is not listed, because IAM needs time
 * after a deployment.
 */
const goneErrors: ReadonlySet<string> = new Set([
  "QueueDoesNotExist",
  "KmsDisabled",
  "KmsInvalidState",
  "KmsNotFound",
  "AWS.SimpleQueueService.NonExistentQueue",
  "KMS.DisabledException",
  "KMS.InvalidStateException",
  "KMS.NotFoundException",
]);

/** Without a response, the event may even have arrived. */
export function isRefusal({ kind }: Pick<Failure, "kind">): boolean {
  return kind === "refused" || kind === "gone";
}

/** Thrown instead of sending an event that would only wait for a queue that hangs. */
export class UntriedSend extends Error {
  // The record shows the name, and the reason is the same as for the event before it.
  override readonly name = "TimeoutError";
}

/** SQS rejected one entry of a batch, or did not mention it. */
export class RejectedEntry extends Error {
  override readonly name: string;
  readonly kind: FailureKind;

  constructor(entry: BatchResultErrorEntry | undefined) {
    super(entry?.Message ?? "SQS did not mention this entry of the batch.");
    this.name = entry?.Code ?? "InternalError";
    this.kind = kindOfAnswer(this.name, entry?.SenderFault === true);
  }
}

export function failureOf(subscriber: string, error: unknown): Failure {
  const errorName = error instanceof Error ? error.name : typeof error;
  return { subscriber, errorName, kind: kindOf(error, errorName) };
}

function kindOf(error: unknown, errorName: string): FailureKind {
  if (error instanceof UntriedSend) return "untried";
  if (error instanceof RejectedEntry) return error.kind;
  const status = statusOf(error);
  if (status === undefined) return "no-response";
  return kindOfAnswer(errorName, status < 500 && status !== 429);
}

function kindOfAnswer(errorName: string, isSenderFault: boolean): FailureKind {
  if (goneErrors.has(errorName)) return "gone";
  return isSenderFault && !isSlowDown(errorName) ? "refused" : "failed";
}

/** The HTTP status of SQS's response. The SDK adds its metadata to an error without a response too, then without it. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("$metadata" in error)) return undefined;
  const { $metadata } = error;
  if (typeof $metadata !== "object" || $metadata === null) return undefined;
  if (!("httpStatusCode" in $metadata)) return undefined;
  return typeof $metadata.httpStatusCode === "number" ? $metadata.httpStatusCode : undefined;
}
