import type { Notice } from "../attention/notice.ts";
import { type Subscriber, subscribersTo } from "../delivery/subscriber.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import type { PaycastEvent } from "../events/event.ts";
import { makeOrderEvent, makeRefundEvent, type Provenance } from "../events/make-event.ts";
import { isPaid } from "../facts/event-types.ts";
import type { Flag } from "../facts/flags.ts";
import { groupOf } from "../facts/subject.ts";
import type { InboxMessage } from "../inbox/inbox-message.ts";
import { toAsciiJson } from "../json/ascii-json.ts";
import { mostMessageBytes } from "../message-size.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import type { AppliedFact } from "../orders/applied-fact.ts";
import { applyPaymentFact } from "../orders/apply-payment-fact.ts";
import { applyRefundFact } from "../orders/apply-refund-fact.ts";
import { countEnd, type EndCount } from "../orders/count-end.ts";
import { dueAfterFact, dueAtOnce } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";
import { noticesOfChange } from "../orders/order-notices.ts";
import { noteRecorded } from "../orders/question.ts";
import {
  conflictingReceipt,
  type KnownFactRecord,
  type PublishedRecord,
} from "./callback-record.ts";
import type { FactContext, OrderFactContext } from "./fact-context.ts";
import { noticesOfFact } from "./fact-notices.ts";
import { type Receipt, receivedPart } from "./receipt.ts";
import { type Expiry, keptUntilSeconds } from "./record-expiry.ts";
import { hourBucket, shardOf } from "./time-bucket.ts";

export interface ReceiptSettings extends Expiry {
  readonly source: string;
  readonly subscribers: readonly Subscriber[];
}

/** What one transaction writes: the record, the aggregate if it changes, and notices. */
export interface Plan {
  readonly record: PublishedRecord | KnownFactRecord;
  readonly aggregate: Aggregate | undefined;
  /**
   * The order of a refund, while it is not paid: due at once. It is written even if it was due already. A fact that ends
   * the order meanwhile then finds it changed, reads its payments again, and is compared with the refund.
   */
  readonly unpaidOrder: Order | undefined;
  readonly notices: readonly Notice[];
  /** Counted only by the invocation that writes the record. */
  readonly end: EndCount | undefined;
}

/** The rest of the limit is for message attributes. */
const mostEventBytes = mostMessageBytes - 4_096;

/**
 * Decides what a receipt does, without reading or writing anything. `isConflict`: an earlier receipt has the same
 * callback id and different content (record-receipt.ts).
 */
export function planReceipt(
  receipt: Receipt,
  context: FactContext,
  isConflict: boolean,
  settings: ReceiptSettings,
): Plan {
  const noted: Flag[] = isConflict ? ["conflict"] : [];
  const { applied, event, end } = applyFact(context, noted, receipt.message, settings);
  const { fact, aggregate } = context;
  const received = receivedPart(receipt, settings.now());
  const common = {
    ...received,
    receipt: isConflict ? conflictingReceipt(received.contentHash) : received.receipt,
    // The event's group. It is also the message's, unless the version that received it found no aggregate.
    group: groupOf(aggregate),
    flags: [...applied.flags],
    factId: applied.factId,
    type: fact.type,
  };
  const changed = applied.aggregate === aggregate ? undefined : applied.aggregate;
  const notices = [
    ...noticesOfFact(context, applied, common.callbackId, settings),
    ...noticesOfEnd(context, applied.aggregate, settings),
  ];
  const unpaidOrder = unpaidOrderOf(context, settings.now());
  const keptUntil = keptUntilSeconds(receipt.message, settings);
  if (event === undefined) {
    return {
      record: { ...common, outcome: "known-fact", expiresAt: keptUntil },
      aggregate: changed,
      unpaidOrder,
      notices,
      end,
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
    delivered: {},
    keptUntil,
    expiresAt,
  };
  return {
    record: { ...common, outcome: "published", ...published },
    aggregate: changed,
    unpaidOrder,
    notices,
    end,
  };
}

function unpaidOrderOf(context: FactContext, nowMilliseconds: number): Order | undefined {
  if (context.kind === "order" || context.order === undefined) return undefined;
  return isPaid(context.order.status) ? undefined : dueAtOnce(context.order, nowMilliseconds);
}

/** Notices that wait for the order's end are closed with it. */
export function noticesOfEnd(context: FactContext, next: Aggregate, settings: Expiry): Notice[] {
  const isOrder = context.kind === "order" && next.kind === "order";
  return isOrder ? noticesOfChange(context.aggregate, next, settings) : [];
}

interface AppliedWithEvent {
  readonly applied: AppliedFact<Aggregate>;
  readonly event: PaycastEvent | undefined;
  readonly end: EndCount | undefined;
}

function applyFact(
  context: FactContext,
  noted: readonly Flag[],
  message: InboxMessage,
  settings: ReceiptSettings,
): AppliedWithEvent {
  const provenance = provenanceOf(message, settings);
  if (context.kind === "order") {
    const { applied, end } = applyToOrder(context, noted, settings.now());
    const isNews = applied.kind === "news";
    return {
      applied,
      end,
      event: isNews ? makeOrderEvent(context.fact, applied, provenance) : undefined,
    };
  }
  const applied = applyRefundFact(context.aggregate, context.fact, context.order, noted);
  const isNews = applied.kind === "news";
  return {
    applied,
    end: undefined,
    event: isNews ? makeRefundEvent(context.fact, applied, provenance) : undefined,
  };
}

/** The due time is part of the same transaction, so that an order never misses a check that it needs. */
function applyToOrder(
  { aggregate: order, fact, payments }: OrderFactContext,
  noted: readonly Flag[],
  nowMilliseconds: number,
): Pick<AppliedWithEvent, "end"> & { readonly applied: AppliedFact<Order> } {
  const told = applyPaymentFact(order, fact, { payments, noted });
  const { applied, end } = countEnd(order, told, fact);
  const due = dueAfterFact(order, applied.aggregate, applied.flags, nowMilliseconds);
  const aggregate = noteRecorded(due, applied.factId);
  return { applied: { ...applied, aggregate }, end };
}

function provenanceOf(message: InboxMessage, { source }: ReceiptSettings): Provenance {
  const { traceparent, receivedAtMilliseconds } = message;
  const isCallback = message.origin === "callback";
  const sentAt = isCallback ? message.sentAtMilliseconds : undefined;
  return {
    source,
    traceparent,
    callbackId: isCallback ? message.callbackId : undefined,
    reportedAtMilliseconds: sentAt ?? receivedAtMilliseconds,
  };
}

function eventText(event: PaycastEvent): string {
  const text = toAsciiJson(event);
  if (text.length <= mostEventBytes) return text;
  throw new PaycastError("event-too-large", "The event is larger than a queue accepts.");
}
