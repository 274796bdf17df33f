import { toAsciiJson } from "../ascii-json.ts";
import { type EventType, eventTypeOf } from "../events/event-types.ts";
import { makeEvent } from "../events/make-event.ts";
import { waitsForEarlier } from "../fan-out/lane.ts";
import { nextAttemptAt } from "../fan-out/retry-interval.ts";
import { type Subscriber, subscribersTo } from "../fan-out/subscriber.ts";
import type { InboxMessage } from "../inbox/inbox-message.ts";
import { type AppliedFact, applyFact, contradictsKnown } from "../orders/apply-fact.ts";
import { type Fact, factIdOf } from "../orders/fact.ts";
import type { Flag, Order } from "../orders/order.ts";
import { PaycastError } from "../paycast-error.ts";
import { sha256Of } from "../sha256.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import { type CallbackRecord, deferredMark, firstReceipt } from "./callback-record.ts";

export interface ReceiptSettings {
  readonly source: string;
  readonly subscribers: readonly Subscriber[];
  readonly recordExpiryDays: number;
  readonly now: () => number;
}

/** A message from the inbox, the fact it states, and the inbox group it came in. */
export interface Receipt {
  readonly message: InboxMessage;
  readonly fact: Fact;
  readonly group: string;
}

/** What one transaction writes: the record, and the order's next snapshot unless the fact was known. */
export interface Plan {
  readonly record: CallbackRecord;
  readonly order: Order | undefined;
}

/** SQS takes a mebibyte, attributes included. */
const mostEventBytes = 1_048_576 - 4_096;

export function planReceipt(
  receipt: Receipt,
  receiptName: string,
  order: Order,
  settings: ReceiptSettings,
): Plan {
  const noted: Flag[] = receiptName === firstReceipt ? [] : ["conflict"];
  const applied = applyFact(order, receipt.fact, noted);
  const record = receiptRecord(receipt, receiptName, order, settings);
  if (applied === undefined) {
    const flags: Flag[] = contradictsKnown(order, receipt.fact) ? [...noted, "mismatch"] : noted;
    return { record: { ...record, flags }, order: undefined };
  }
  return planPublication(receipt, record, applied, settings);
}

function planPublication(
  { message, fact }: Receipt,
  record: CallbackRecord,
  applied: AppliedFact,
  settings: ReceiptSettings,
): Plan {
  const type = typeOf(fact);
  const sequence = applied.order.version;
  const event = toAsciiJson(makeEvent({ source: settings.source, type, message, fact, applied }));
  if (event.length > mostEventBytes) throw tooLarge();
  const pending = subscribersTo(type, settings.subscribers).map(({ name }) => name);
  const held = pending.filter((name) => waitsForEarlier(applied.order.behind, name, sequence));
  const flags = [...applied.flags];
  const publication = { outcome: "published" as const, flags, event, sequence, pending, held };
  return {
    record: { ...record, ...publication, ...(held.length > 0 && deferral(settings.now())) },
    order: applied.order,
  };
}

/**
 * Somebody is held: deliver-pending finds the record by this. It must not expire before that is done, for
 * later events of the order wait for it.
 */
function deferral(nowMilliseconds: number) {
  return {
    deferred: deferredMark,
    nextAttemptAt: nextAttemptAt(nowMilliseconds, 0),
    expiresAt: undefined,
  };
}

function receiptRecord(
  { message, fact, group }: Receipt,
  receiptName: string,
  order: Order,
  settings: ReceiptSettings,
): CallbackRecord {
  const { merchantId, deduplication, plaintext, receivedAtMilliseconds } = message;
  const receivedAt = toRfc3339(receivedAtMilliseconds);
  const keptUntilSeconds =
    Math.floor(receivedAtMilliseconds / 1000) + settings.recordExpiryDays * 86_400;
  // The only guard against a replay is this record where the callback's id is not signed.
  const keptUntil = deduplication.replayable ? undefined : keptUntilSeconds;
  return {
    callbackKey: `${merchantId}#${message.origin}#${deduplication.key}`,
    receipt: receiptName,
    origin: message.origin,
    merchantId,
    callbackId: message.origin === "callback" ? message.callbackId : undefined,
    keyVersion: message.origin === "callback" ? message.verifiedBy.versionId : undefined,
    plaintext,
    bodyHash: sha256Of(plaintext),
    factId: factIdOf(fact),
    type: typeOf(fact),
    orderKey: order.orderKey,
    flags: [],
    receivedAt,
    receivedDay: receivedAt.slice(0, 10),
    outcome: "known-fact",
    group,
    pending: [],
    held: [],
    attempts: 0,
    keptUntil,
    expiresAt: keptUntil,
  };
}

function typeOf(fact: Fact): EventType {
  const type = eventTypeOf(fact.status);
  if (type === undefined) throw new PaycastError("event-unknown", "The status has no event.");
  return type;
}

function tooLarge(): PaycastError {
  return new PaycastError("event-too-large", "The event is larger than a queue takes.");
}
