import type { Delivery } from "../delivery/delivery.ts";
import { idForLog } from "../envelope/deduplication.ts";
import type { Fact } from "../facts/fact.ts";
import { type Flag, knownFlags } from "../facts/flags.ts";
import { type InboxMessage, subjectOfMessage } from "../inbox/inbox-message.ts";
import type { CallbackRecord } from "../records/callback-record.ts";
import type { RecordedReceipt } from "../records/record-receipt.ts";
import { smokeName } from "../smoke-merchant.ts";
import type { DatedMetrics, LogFields, Metrics } from "../telemetry/log-line.ts";
import { callbackGraceMilliseconds } from "../timing.ts";
import type { Ending } from "./end-delivery.ts";
import type { QueuedMessage } from "./process-batch.ts";

const outcomeMetrics = {
  published: "Published",
  "known-fact": "KnownFact",
  resumed: "Resumed",
  restored: "Restored",
  duplicate: "Duplicate",
} as const;

interface Processed {
  readonly fact: Fact;
  readonly recorded: RecordedReceipt;
  readonly delivery: Delivery;
  readonly ending: Ending;
}

export function describeProcessing(
  queued: QueuedMessage,
  { fact, recorded, delivery, ending }: Processed,
  startedAtMilliseconds: number,
  nowMilliseconds: number,
): [fields: LogFields, metrics: Metrics, ends: DatedMetrics | undefined] {
  const { record } = recorded;
  const outcome = outcomeOf(recorded, delivery);
  // A receipt that is resumed after a crash has not been counted yet. A receipt that returned to the inbox is counted
  // again: an alarm that goes off twice for one fact is better than one that does not go off.
  const isRepeat = outcome === "duplicate" || outcome === "restored";
  const noted = isRepeat ? [] : knownFlags(record.flags);
  const fields = {
    outcome,
    ending,
    messageId: queued.messageId,
    ...factFields(fact),
    ...recordFields(record),
    flags: noted,
    ...deliveryFields(delivery),
    durationMilliseconds: nowMilliseconds - startedAtMilliseconds,
  };
  const metrics = { [outcomeMetrics[outcome]]: 1, ...countFlags(noted) };
  const counted = { ...metrics, ...countEnding(ending, queued, nowMilliseconds) };
  return [fields, counted, fact.merchantId === smokeName ? undefined : countEnd(recorded)];
}

/** The alarms on missing callbacks compare the three numbers, so each is written with the others. */
function countEnd({ end }: RecordedReceipt): DatedMetrics | undefined {
  if (end === undefined) return undefined;
  const isLearned = end.kind === "learned";
  const metrics = {
    EndsLearned: isLearned ? 1 : 0,
    EndsAsked: isLearned && end.origin === "query" ? 1 : 0,
    EndsTold: isLearned ? 0 : 1,
  };
  return { atMilliseconds: end.learnedAtMilliseconds + callbackGraceMilliseconds, metrics };
}

function factFields(fact: Fact): Partial<LogFields> {
  const { merchantId, paymentId, type: eventName } = fact;
  return fact.kind === "payment"
    ? { merchantId, orderNo: fact.orderNo, paymentId, eventName }
    : { merchantId, paymentId, refundId: fact.refundId, eventName };
}

function recordFields(record: CallbackRecord): Partial<LogFields> {
  const callbackId = idForLog(record.callbackId);
  if (record.outcome === "quarantined") return { callbackId };
  const sequence = record.outcome === "published" ? record.sequence : undefined;
  return { callbackId, eventId: record.factId, sequence };
}

/**
 * `deliveredTo` are the subscribers that this attempt reached; `subscribers` are those whose queue rejected the event.
 */
function deliveryFields({ delivered, failures }: Delivery): Partial<LogFields> {
  const names = [...new Set(failures.map(({ errorName }) => errorName))];
  const subscribers = failures.map(({ subscriber }) => subscriber);
  const errorName = names.length > 0 ? names.join(", ") : undefined;
  const [first] = failures;
  const failure = first && ({ stage: "delivery", reason: `subscriber-${first.kind}` } as const);
  return { deliveredTo: delivered, subscribers, ...failure, errorName };
}

function countEnding(ending: Ending, queued: QueuedMessage, nowMilliseconds: number): Metrics {
  switch (ending) {
    case "delivered":
      return {};
    case "given-back":
      return countReturned(queued, nowMilliseconds);
    case "undeliverable":
      return { Undeliverable: 1 };
  }
}

/**
 * SQS's age metric ignores a message that was received often, so its waiting time is counted here. The alarm on it also
 * reads `StampRefused`, so a 0 is written for that metric.
 */
export function countReturned(queued: QueuedMessage, nowMilliseconds: number): Metrics {
  const waitingMilliseconds = Math.max(0, nowMilliseconds - queued.sentAtMilliseconds);
  const WaitingSeconds = Math.round(waitingMilliseconds / 1000);
  return { GivenBack: 1, WaitingSeconds, StampRefused: 0 };
}

/**
 * A receipt with a record is resumed if subscribers are pending. Otherwise it is a duplicate, or it restored a fact
 * that a restored table lacked.
 */
function outcomeOf(
  { record, isNew, isRestored }: RecordedReceipt,
  { delivered, failures }: Delivery,
): keyof typeof outcomeMetrics {
  if (isNew && record.outcome !== "quarantined") return record.outcome;
  if (delivered.length + failures.length > 0) return "resumed";
  return isRestored ? "restored" : "duplicate";
}

/** "duplicatePayment" is counted as DuplicatePayment. */
function countFlags(noted: readonly Flag[]): Metrics {
  return Object.fromEntries(noted.map((flag) => [flag.charAt(0).toUpperCase() + flag.slice(1), 1]));
}

/** The callback and the order that a line is about, if the message names them. */
export function identify(message: InboxMessage | undefined): Partial<LogFields> {
  if (message === undefined) return {};
  const { merchantId } = message;
  const subject = subjectOfMessage(message);
  return {
    merchantId,
    callbackId: message.origin === "callback" ? idForLog(message.callbackId) : undefined,
    orderNo: subject?.kind === "order" ? subject.orderNo : undefined,
    paymentId: subject?.kind === "payment" ? subject.paymentId : undefined,
  };
}
