import { keyOfId } from "../../../shared/envelope/deduplication.ts";
import { readSimulatedCallbacks } from "../calling/service-control.ts";
import type { Target } from "../ports/target.ts";
import { findAttempts } from "../requests/find-attempts.ts";
import { type CallbackAttempt, joinAttempts } from "./callback-attempts.ts";
import type { OrderTimeline, TimelineEntry } from "./order-timeline.ts";
import type { ReceiptEntry } from "./receipt-entry.ts";

/** An attempt that brought no receipt of the timeline. */
export interface SeparateAttempt extends CallbackAttempt {
  /**
   * Whether a receipt has its callback. An accepted one without it waits in the inbox, or is quarantined without an
   * order.
   */
  readonly isRecorded: boolean;
  /** The cut number of the order, under which its callbacks are recorded. */
  readonly recordedUnder?: string | undefined;
}

/** An order's timeline with every callback attempt that is known. */
export interface WholeTimeline extends Omit<OrderTimeline, "entries"> {
  /** Oldest first. */
  readonly entries: readonly (TimelineEntry | SeparateAttempt)[];
  /** How the log was searched for attempts; absent if it was not. */
  readonly searched?: {
    readonly from: string;
    readonly until: string;
    readonly isPartial: boolean;
  };
}

/** The service retries for seven days (§6). */
const retryMilliseconds = 8 * 24 * 3_600_000;
/** A callback may arrive before create-order has stored the response, and clocks differ. */
const aheadMilliseconds = 10 * 60_000;

/** Adds the order's callback attempts from the log of receive-callback and from the local payment service. */
export async function addAttempts(
  target: Pick<Target, "stack" | "clock" | "log">,
  timeline: OrderTimeline,
): Promise<WholeTimeline> {
  const paymentIds = (timeline.order?.payments ?? []).map(({ paymentId }) => paymentId);
  const sent = await readSimulatedCallbacks(target.stack, paymentIds);
  const receipts = timeline.entries.filter((entry) => entry.kind === "receipt");
  const received = receipts.flatMap(({ callbackId }) => callbackId ?? []);
  const callbackIds = [...new Set([...received, ...sent.map(({ id }) => id)])];
  const { merchantId, orderNo } = timeline;
  const range = rangeOf(timeline, target.clock.now());
  const { lines, isPartial } = await findAttempts(target, {
    merchantId,
    orderNo,
    paymentIds,
    callbackIds,
    ...range,
  });
  const under = timeline.otherNumber?.isShort ? timeline.otherNumber.orderNo : undefined;
  const entries = mergeAttempts(timeline.entries, joinAttempts(lines, sent), under);
  return { ...timeline, entries, searched: { ...range, isPartial } };
}

function rangeOf({ entries }: OrderTimeline, nowMilliseconds: number) {
  const times = entries.map(({ at }) => Date.parse(at));
  const first = Math.min(nowMilliseconds, ...times) - aheadMilliseconds;
  const last = Math.max(first, ...times) + retryMilliseconds;
  return {
    from: new Date(first).toISOString(),
    until: new Date(Math.min(nowMilliseconds, last)).toISOString(),
  };
}

/** The attempt that brought a receipt is part of the receipt. The others are entries of their own. */
function mergeAttempts(
  entries: readonly TimelineEntry[],
  attempts: readonly CallbackAttempt[],
  recordedUnder: string | undefined,
): (TimelineEntry | SeparateAttempt)[] {
  const unmatched = new Set(attempts);
  const recorded = new Set(
    entries.flatMap((entry) => (entry.kind === "receipt" ? keysOf(entry) : [])),
  );
  const merged = entries.map((entry) => {
    const answered = entry.kind === "receipt" ? attemptOf(entry, [...unmatched]) : undefined;
    if (answered === undefined) return entry;
    unmatched.delete(answered);
    return { ...entry, answered };
  });
  const separate = [...unmatched].map((attempt) => ({
    ...attempt,
    isRecorded: keysOf(attempt).some((key) => recorded.has(key)),
    recordedUnder,
  }));
  return [...merged, ...separate].sort((left, right) => compare(left.at, right.at));
}

/** None if the id is not known. */
function keysOf({ callbackId }: { readonly callbackId?: string | undefined }): string[] {
  return callbackId === undefined ? [] : [keyOfId(callbackId)];
}

/** A receipt has the time at which its request began, and the log the time at which it ended. */
function attemptOf(
  { callbackId, at }: ReceiptEntry,
  attempts: readonly CallbackAttempt[],
): CallbackAttempt | undefined {
  if (callbackId === undefined) return undefined;
  const key = keyOfId(callbackId);
  return attempts.find(
    (attempt) =>
      attempt.outcome === "accepted" &&
      attempt.at >= at &&
      attempt.callbackId !== undefined &&
      keyOfId(attempt.callbackId) === key,
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
