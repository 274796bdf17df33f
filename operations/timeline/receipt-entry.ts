import type { CallbackRecord, PublishedRecord } from "../../shared/records/callback-record.ts";
import { firstReceipt } from "../../shared/records/callback-record.ts";
import { contentOfRecord, type StoredPayload } from "../records/record-content.ts";
import type { CallbackAttempt } from "./callback-attempts.ts";
import { type Delivery, deliveriesOf } from "./delivery.ts";

interface PublishedEvent {
  readonly eventId: string;
  readonly sequence: number;
  readonly deliveries: readonly Delivery[];
  /** As it was sent. */
  readonly event: unknown;
}

/** One receipt: a callback, or an answer of the service that was news. */
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
  /** True if other content came with the same callback id before. */
  readonly isConflict: boolean;
  readonly type?: string;
  readonly factId?: string;
  readonly flags: readonly string[];
  /** What the event did to its order, or to its refund. `statusBefore` is left out if it is not stored any more. */
  readonly statusBefore?: string | undefined;
  readonly statusAfter?: string | undefined;
  readonly published?: PublishedEvent;
  readonly quarantined?: {
    readonly reason: string;
    readonly detail: string;
    /** Since when it needs a person; undefined if it was dismissed. */
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
