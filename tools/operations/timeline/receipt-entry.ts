import {
  type CallbackRecord,
  firstReceipt,
  type PublishedRecord,
} from "../../../shared/records/callback-record.ts";
import { contentOfRecord, type StoredPayload } from "../records/read-records.ts";
import type { CallbackAttempt } from "./callback-attempts.ts";

/**
 * How much later a subscriber received an event than the first ones, or, if it was among these, than the callback
 * arrived.
 */
interface Lateness {
  readonly seconds: number;
  readonly after: "the others" | "the callback";
}

/** What became of an event for one subscriber. */
export interface Delivery {
  readonly subscriber: string;
  /**
   * `waiting`: the event has not been sent to the subscriber's queue yet. `given-up`: Paycast no longer retries it.
   * `dismissed`: an operator decided that the subscriber does not get it.
   */
  readonly state: "sent" | "waiting" | "given-up" | "dismissed";
  /** When the subscriber's queue accepted it. */
  readonly at?: string | undefined;
  /** Set if that was later than expected. */
  readonly late?: Lateness | undefined;
  /** How many dead letters the subscriber has. Its consumer may have failed on this event. */
  readonly deadLetters?: number | undefined;
  /** Since when the queue rejects it, or when it became undeliverable; undefined without a try. */
  readonly since?: string | undefined;
  /** The error of the queue. */
  readonly errorName?: string | undefined;
}

interface PublishedEvent {
  readonly eventId: string;
  readonly sequence: number;
  readonly deliveries: readonly Delivery[];
  /** As it was sent. */
  readonly event: unknown;
}

/** One receipt: a callback, or a query result with a new status. */
export interface ReceiptEntry {
  readonly kind: "receipt";
  readonly at: string;
  readonly recordedAt: string;
  readonly about: "order" | "payment" | "unknown";
  readonly merchantId: string;
  readonly origin: "callback" | "query";
  readonly outcome: CallbackRecord["outcome"];
  readonly callbackId?: string | undefined;
  readonly keyVersion?: string | undefined;
  /** True if an earlier callback with the same id had other content. */
  readonly isConflict: boolean;
  readonly type?: string;
  readonly factId?: string;
  readonly flags: readonly string[];
  /** What the event did to its order, or to its refund. `statusBefore` is absent if it is not stored any more. */
  readonly statusBefore?: string | undefined;
  readonly statusAfter?: string | undefined;
  readonly published?: PublishedEvent;
  readonly quarantined?: {
    readonly reason: string;
    readonly detail: string;
    /** Since when it needs attention; undefined if it was dismissed. */
    readonly since: string | undefined;
  };
  readonly payload: StoredPayload;
  readonly orderNo?: string | undefined;
  readonly paymentId?: string | undefined;
  /** The request that brought it, if the log was searched and has it. */
  readonly answered?: CallbackAttempt;
}

export function toReceiptEntry(record: CallbackRecord): ReceiptEntry {
  const { subject, payload } = contentOfRecord(record);
  const isFactual = record.outcome !== "quarantined";
  return {
    kind: "receipt",
    at: record.receivedAt,
    recordedAt: record.recordedAt,
    about: subject?.kind ?? "unknown",
    merchantId: record.merchantId,
    origin: record.origin,
    outcome: record.outcome,
    callbackId: record.callbackId,
    keyVersion: record.keyVersion,
    isConflict: record.receipt !== firstReceipt,
    ...(isFactual && { type: record.type, factId: record.factId }),
    flags: record.flags,
    ...(record.outcome === "published" && { published: publishedEvent(record) }),
    ...(record.outcome === "quarantined" && {
      quarantined: {
        reason: record.reason,
        detail: record.detail,
        since: record.attentionSince,
      },
    }),
    payload,
    orderNo: subject?.kind === "order" ? subject.orderNo : undefined,
    paymentId: subject?.kind === "payment" ? subject.paymentId : undefined,
  };
}

function publishedEvent(record: PublishedRecord): PublishedEvent {
  const { factId, sequence, event } = record;
  return { eventId: factId, sequence, deliveries: deliveriesOf(record), event: JSON.parse(event) };
}

function deliveriesOf(record: PublishedRecord): readonly Delivery[] {
  const { recipients, pending, dismissed = [], attention, attentionSince: since } = record;
  return recipients.map((subscriber) => {
    if (dismissed.includes(subscriber)) return { subscriber, state: "dismissed" };
    if (!pending.includes(subscriber)) return sentTo(subscriber, record);
    const errorName = attention?.subscribers?.[subscriber];
    if (errorName === undefined) return { subscriber, state: "waiting" };
    const state = attention?.kind === "undeliverable" ? "given-up" : "waiting";
    return { subscriber, state, since, errorName };
  });
}

function sentTo(subscriber: string, record: PublishedRecord): Delivery {
  const at = record.delivered[subscriber];
  const late = at === undefined ? undefined : latenessOf(at, record);
  return { subscriber, state: "sent", at, late };
}

/** The next try follows after seconds. */
const laterThanOthersSeconds = 1;
/** Usually an event is delivered within a second after its callback. */
const laterThanCallbackSeconds = 60;

function latenessOf(at: string, record: PublishedRecord): Lateness | undefined {
  const secondsSince = (time: string) => (Date.parse(at) - Date.parse(time)) / 1000;
  const times = Object.values(record.delivered);
  const afterOthers = Math.max(...times.map(secondsSince));
  if (afterOthers >= laterThanOthersSeconds) return { seconds: afterOthers, after: "the others" };
  const afterCallback = secondsSince(record.receivedAt);
  if (afterCallback < laterThanCallbackSeconds) return undefined;
  return { seconds: afterCallback, after: "the callback" };
}
