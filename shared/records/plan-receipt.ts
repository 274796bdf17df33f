import { toAsciiJson } from "../ascii-json.ts";
import type { Notice } from "../attention/notice.ts";
import { type Subscriber, subscribersTo } from "../delivery/subscriber.ts";
import type { PaycastEvent } from "../events/event.ts";
import { makeOrderEvent, makeRefundEvent, type Provenance } from "../events/make-event.ts";
import { type Flag, raisedFlags } from "../facts/flags.ts";
import { groupOf } from "../facts/subject.ts";
import type { InboxMessage } from "../inbox/inbox-message.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import { type AppliedFact, withFlags } from "../orders/applied-fact.ts";
import { applyPaymentFact } from "../orders/apply-payment-fact.ts";
import { applyRefundFact } from "../orders/apply-refund-fact.ts";
import { refundsContradict } from "../orders/check-refunds.ts";
import { dueAfterFact } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";
import { noticesOfChange } from "../orders/order-notices.ts";
import type { Payment } from "../orders/payment.ts";
import { PaycastError } from "../paycast-error.ts";
import { mostMessageBytes } from "../queue-limits.ts";
import {
  conflictingReceipt,
  type KnownFactRecord,
  type PublishedRecord,
} from "./callback-record.ts";
import type { FactInPlace, OrderFactInPlace } from "./fact-in-place.ts";
import { noticesOfFact } from "./fact-notices.ts";
import { type Receipt, receivedPart } from "./receipt.ts";
import { type Expiry, keptUntilSeconds } from "./record-expiry.ts";
import { hourBucket, shardOf } from "./time-bucket.ts";

export interface ReceiptSettings extends Expiry {
  readonly source: string;
  readonly subscribers: readonly Subscriber[];
}

/** What one transaction writes: the record, the aggregate if it changes, and what a person should see. */
export interface Plan {
  readonly record: PublishedRecord | KnownFactRecord;
  readonly aggregate: Aggregate | undefined;
  readonly notices: readonly Notice[];
}

/** The rest is for the attributes of the message. */
const mostEventBytes = mostMessageBytes - 4_096;

/** `isConflict`: different content came with the same callback id before; record-receipt.ts finds that out. */
export function planReceipt(
  receipt: Receipt,
  place: FactInPlace,
  isConflict: boolean,
  settings: ReceiptSettings,
): Plan {
  const noted: Flag[] = isConflict ? ["conflict"] : [];
  const { applied, event } = applyFact(place, noted, receipt.message, settings);
  const { fact, aggregate } = place;
  const received = receivedPart(receipt, settings.now());
  const common = {
    ...received,
    receipt: isConflict ? conflictingReceipt(received.contentHash) : received.receipt,
    // The event's group. For a message from receive-callback it is the message's own group.
    group: groupOf(aggregate),
    flags: [...applied.flags],
    factId: applied.factId,
    type: fact.type,
  };
  const changed = applied.aggregate === aggregate ? undefined : applied.aggregate;
  const notices = [
    ...noticesOfFact(place, applied, common.callbackId, settings),
    ...noticesOfEnd(place, applied.aggregate, settings),
  ];
  const keptUntil = keptUntilSeconds(receipt.message, settings);
  if (event === undefined) {
    return {
      record: { ...common, outcome: "known-fact", expiresAt: keptUntil },
      aggregate: changed,
      notices,
    };
  }
  const recipients = subscribersTo(fact, settings.subscribers).map(({ name }) => name);
  const expiresAt = recipients.length === 0 ? keptUntil : undefined;
  const { sequence } = applied.aggregate;
  const timeBucket = hourBucket(common.recordedAt, shardOf(common.group));
  const published = {
    event: eventText(event),
    sequence,
    timeBucket,
    recipients,
    pending: recipients,
    keptUntil,
    expiresAt,
  };
  return {
    record: { ...common, outcome: "published", ...published },
    aggregate: changed,
    notices,
  };
}

/** The order's end also ends the notices that wait for it. */
export function noticesOfEnd(place: FactInPlace, next: Aggregate, settings: Expiry): Notice[] {
  const isOrder = place.kind === "order" && next.kind === "order";
  return isOrder ? noticesOfChange(place.aggregate, next, settings) : [];
}

interface AppliedWithEvent {
  readonly applied: AppliedFact<Aggregate>;
  readonly event: PaycastEvent | undefined;
}

function applyFact(
  place: FactInPlace,
  noted: readonly Flag[],
  message: InboxMessage,
  settings: ReceiptSettings,
): AppliedWithEvent {
  const provenance = provenanceOf(message, settings);
  if (place.kind === "order") {
    const applied = applyToOrder(place, noted, settings.now());
    const isNews = applied.kind === "news";
    return { applied, event: isNews ? makeOrderEvent(place.fact, applied, provenance) : undefined };
  }
  const applied = applyRefundFact(place.aggregate, place.fact, place.order, noted);
  const isNews = applied.kind === "news";
  return { applied, event: isNews ? makeRefundEvent(place.fact, applied, provenance) : undefined };
}

/** The due time belongs to the same transaction, so that an order is never left without a check that it needs. */
function applyToOrder(
  { aggregate: order, fact, payments }: OrderFactInPlace,
  noted: readonly Flag[],
  nowMilliseconds: number,
): AppliedFact<Order> {
  const applied = applyPaymentFact(order, fact, noted);
  const flagged = withFlags(applied, raisedByRefunds(order, applied.aggregate, payments));
  const aggregate = dueAfterFact(order, flagged.aggregate, flagged.flags, nowMilliseconds);
  return { ...flagged, aggregate };
}

/** Refunds that came while the order was open are held against its end. */
function raisedByRefunds(before: Order, after: Order, payments: readonly Payment[]): Flag[] {
  if (before.status === after.status) return [];
  return raisedFlags({ mismatch: payments.some((payment) => refundsContradict(payment, after)) });
}

function provenanceOf(message: InboxMessage, { source }: ReceiptSettings): Provenance {
  const { traceparent, receivedAtMilliseconds } = message;
  const isCallback = message.origin === "callback";
  const sentAt = isCallback ? message.sentAtMilliseconds : undefined;
  return {
    source,
    traceparent,
    callbackId: isCallback ? message.callbackId : undefined,
    toldAtMilliseconds: sentAt ?? receivedAtMilliseconds,
  };
}

function eventText(event: PaycastEvent): string {
  const text = toAsciiJson(event);
  if (text.length <= mostEventBytes) return text;
  throw new PaycastError("event-too-large", "The event is larger than a queue accepts.");
}
