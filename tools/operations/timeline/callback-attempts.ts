import { keyOfId } from "../../../shared/envelope/deduplication.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { ServiceAttempt, ServiceCallback } from "../calling/service-control.ts";
import type { ReceivingLine } from "../ports/request-line.ts";

/** One request of the payment service, or of someone who pretends to be it, and its response. */
export interface CallbackAttempt {
  readonly kind: "callback-attempt";
  readonly at: string;
  readonly callbackId: string | undefined;
  /** False if the sender is not verified: then even the id is only what the sender wrote. */
  readonly isAuthentic: boolean;
  /** `no-answer`: the local payment service sent it and got no response. */
  readonly outcome: ReceivingLine["outcome"] | "no-answer" | "not-logged";
  /** Undefined if there was no response. */
  readonly httpStatus: number | undefined;
  /** Why, in the words of the log. The sender does not learn it. */
  readonly reason?: string | undefined;
  readonly detail?: string | undefined;
  readonly keyStage?: string | undefined;
  readonly durationMilliseconds: number;
  /** What the local payment service did wrong on purpose. */
  readonly faults: readonly string[];
}

/** The clocks of the two processes are one, but a line is written a moment after the response was decided. */
const slackMilliseconds = 500;

/** Joins what the local payment service sent with what receive-callback logged of it. Oldest first. */
export function joinAttempts(
  lines: readonly ReceivingLine[],
  callbacks: readonly Pick<ServiceCallback, "id" | "attempts">[],
): CallbackAttempt[] {
  const unmatched = new Set(lines);
  const sent = callbacks.flatMap(({ id, attempts }) =>
    attempts.map((attempt) => {
      const line = [...unmatched].find((candidate) => isOf(candidate, id, attempt));
      if (line === undefined) return unlogged(id, attempt);
      unmatched.delete(line);
      return { ...toAttempt(line), faults: attempt.faults };
    }),
  );
  return [...sent, ...[...unmatched].map(toAttempt)].sort((left, right) =>
    left.at < right.at ? -1 : 1,
  );
}

function isOf(line: ReceivingLine, id: string, sent: ServiceAttempt): boolean {
  const lineId = line.callbackId ?? line.claimedCallbackId;
  if (lineId === undefined || keyOfId(lineId) !== keyOfId(id)) return false;
  const { startedMilliseconds: start, durationMilliseconds } = sent;
  const end = start + durationMilliseconds + slackMilliseconds;
  return line.timestamp >= start && line.timestamp <= end;
}

function toAttempt(line: ReceivingLine): CallbackAttempt {
  return {
    kind: "callback-attempt",
    at: line.at,
    callbackId: line.callbackId ?? line.claimedCallbackId,
    isAuthentic: line.callbackId !== undefined,
    outcome: line.outcome,
    httpStatus: line.httpStatus,
    reason: line.reason,
    detail: line.detail,
    keyStage: line.keyStage,
    durationMilliseconds: line.durationMilliseconds,
    faults: [],
  };
}

/** The response may be of another server, or its log was not kept. */
function unlogged(callbackId: string, sent: ServiceAttempt): CallbackAttempt {
  const { httpStatus, detail } = sent;
  return {
    kind: "callback-attempt",
    at: toRfc3339(sent.startedMilliseconds),
    callbackId,
    isAuthentic: false,
    outcome: httpStatus === undefined ? "no-answer" : "not-logged",
    httpStatus,
    detail: httpStatus === undefined ? detail : undefined,
    durationMilliseconds: sent.durationMilliseconds,
    faults: sent.faults,
  };
}
