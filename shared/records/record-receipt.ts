import { type AttentionSince, aboutOf, attentionAttributes } from "../attention/attention.ts";
import type { Notice } from "../attention/notice.ts";
import { isFaultOfAws } from "../aws-fault.ts";
import type { Fact } from "../facts/fact.ts";
import type { Flag } from "../facts/flags.ts";
import { type InboxMessage, subjectOfMessage } from "../inbox/inbox-message.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import type { Order } from "../orders/order.ts";
import type { PaycastError } from "../paycast-error.ts";
import {
  type CallbackRecord,
  conflictingReceipt,
  type KnownFactRecord,
  type PublishedRecord,
  type QuarantinedRecord,
} from "./callback-record.ts";
import type { FactInPlace } from "./fact-in-place.ts";
import { type FollowRefund, followRefund } from "./follow-refund.ts";
import { noticesOfEnd, type Plan, planReceipt, type ReceiptSettings } from "./plan-receipt.ts";
import { type Receipt, receivedPart } from "./receipt.ts";
import { type Expiry, keptUntilSeconds } from "./record-expiry.ts";
import type { Commit } from "./record-store.ts";
import { restoreFact } from "./restore-fact.ts";

export interface ReceiptStore extends FollowRefund {
  readonly commit: (
    record: CallbackRecord,
    aggregate?: Aggregate,
    notices?: readonly Notice[],
  ) => Promise<Commit>;
}

export interface RecordedReceipt {
  readonly record: CallbackRecord;
  /** False if this receipt was recorded before. */
  readonly isNew: boolean;
  /** Flags that were raised after the record was written. */
  readonly raisedLater?: readonly Flag[];
  /** It was recorded before, and its aggregate lacked the fact. */
  readonly isRestored?: true;
}

/**
 * Records a receipt once. Different content with a known callback id is recorded beside the first. If another writer
 * was first, the aggregate is read again. Throws `aggregate-contended`; a later delivery of the message succeeds.
 */
export async function recordReceipt(
  receipt: Receipt,
  fact: Fact,
  settings: ReceiptSettings,
  store: ReceiptStore,
): Promise<RecordedReceipt> {
  let isConflict = false;
  const inPlace = await store.retryOnContention<InPlace>(async () => {
    const place = await store.loadPlace(fact);
    const plan = planReceipt(receipt, place, isConflict, settings);
    const commit = await store.commit(plan.record, plan.aggregate, plan.notices);
    if (commit.kind === "committed") {
      return { place, recorded: { record: plan.record, isNew: true } };
    }
    if (commit.kind === "lost-race") return undefined;
    const isSame = commit.record.contentHash === plan.record.contentHash;
    if (isSame) return await restore(commit.record, { place, plan }, settings, store);
    isConflict = true;
    return undefined;
  });
  return await afterRecording(inPlace, settings, store);
}

/**
 * A record that is seen again without a new receipt, because a redrive names it. Nothing of it is written or published;
 * only its aggregate gets the fact if it lacks it.
 */
export async function reviseRecord(
  record: PublishedRecord | KnownFactRecord,
  receipt: Receipt,
  fact: Fact,
  settings: ReceiptSettings,
  store: ReceiptStore,
): Promise<RecordedReceipt> {
  const inPlace = await store.retryOnContention(async () => {
    const place = await store.loadPlace(fact);
    const plan = planReceipt(receipt, place, false, settings);
    return await restore(record, { place, plan }, settings, store);
  });
  return await afterRecording(inPlace, settings, store);
}

interface InPlace {
  readonly place: FactInPlace;
  readonly recorded: RecordedReceipt;
}

/** What the receipt would lead to if it had no record. */
interface PlanInPlace {
  readonly place: FactInPlace;
  readonly plan: Plan;
}

/** Undefined if another writer was first. */
async function restore(
  record: CallbackRecord,
  { place, plan }: PlanInPlace,
  expiry: Expiry,
  store: ReceiptStore,
): Promise<InPlace | undefined> {
  const restored = restoreFact(place.aggregate, plan, record);
  if (restored === undefined) return { place, recorded: { record, isNew: false } };
  // What is odd about the fact was noticed with its record.
  const isSaved = await store.save(restored, noticesOfEnd(place, restored, expiry));
  return isSaved ? { place, recorded: { record, isNew: false, isRestored: true } } : undefined;
}

/** Also for a receipt that was recorded before: the first try may have ended here. */
async function afterRecording(
  { place, recorded }: InPlace,
  settings: ReceiptSettings,
  store: ReceiptStore,
): Promise<RecordedReceipt> {
  if (place.kind === "order") return recorded;
  const isRecorded = !recorded.isNew && !recorded.isRestored;
  const raisedLater = await followRefund(place, isRecorded, settings, store);
  return { ...recorded, raisedLater };
}

export interface QuarantineStore extends Omit<ReceiptStore, "loadPlace" | "save"> {
  /** The order that the message is about, unless the service has reported on it before. */
  readonly loadIfUnknownToService: (message: InboxMessage) => Promise<Order | undefined>;
  /** Notes why a message that is in quarantine already was not understood this time. */
  readonly noteTry: (
    record: QuarantinedRecord,
    why: PaycastError,
    triedAt: string,
  ) => Promise<void>;
  /** Notes that nothing tries to deliver an event any more. False if its record has changed meanwhile. */
  readonly giveUp: (record: PublishedRecord, remaining: AttentionSince) => Promise<boolean>;
}

/**
 * Keeps an authentic message that cannot be understood, with the reason, until a person has fixed the cause. Its order
 * counts as known to the service: if we sent it there again, it could be paid twice. The same content again keeps its
 * record: since when it needs a person, and that a person has dismissed it. If the message was understood before, as by
 * a newer version, its event is given up for those that have not got it: nothing tries to deliver it after this.
 */
export async function recordQuarantine(
  receipt: Receipt,
  why: PaycastError,
  expiry: Expiry,
  store: QuarantineStore,
): Promise<void> {
  const record = quarantinedRecord(receipt, why, expiry);
  let receiptName = record.receipt;
  await store.retryOnContention(async () => {
    const order = await loadIfReadable(receipt.message, store);
    const known = order && { ...order, hasQuarantinedCallback: true };
    const flags: Flag[] = receiptName === record.receipt ? [] : ["conflict"];
    const commit = await store.commit({ ...record, receipt: receiptName, flags }, known);
    if (commit.kind === "lost-race") return undefined;
    if (commit.kind === "committed") return true;
    const { record: stored } = commit;
    if (stored.contentHash !== record.contentHash) {
      receiptName = conflictingReceipt(record.contentHash);
      return undefined;
    }
    if (stored.outcome === "published" && stored.pending.length > 0) {
      return (await store.giveUp(stored, givenUp(stored, why, record))) || undefined;
    }
    if (stored.outcome === "quarantined") await store.noteTry(stored, why, record.triedAt);
    return true;
  });
}

function givenUp(
  { pending, attention: before, attentionSince }: PublishedRecord,
  { code }: PaycastError,
  { attention, triedAt }: QuarantinedRecord,
): AttentionSince {
  const subscribers = Object.fromEntries(pending.map((name) => [name, code]));
  const since = before?.kind === "undeliverable" ? attentionSince : undefined;
  return {
    attention: { ...attention, kind: "undeliverable", subscribers },
    since: since ?? triedAt,
  };
}

/** An order that cannot be read cannot be sent to the service again either, so it needs no mark. */
async function loadIfReadable(
  message: InboxMessage,
  { loadIfUnknownToService }: QuarantineStore,
): Promise<Order | undefined> {
  try {
    return await loadIfUnknownToService(message);
  } catch (error) {
    if (isFaultOfAws(error)) throw error;
    return undefined;
  }
}

function quarantinedRecord(
  receipt: Receipt,
  { code: reason, message: detail }: PaycastError,
  expiry: Expiry,
): QuarantinedRecord {
  const received = receivedPart(receipt, expiry.now());
  const { recordedAt } = received;
  const about = aboutOf(subjectOfMessage(receipt.message));
  return {
    ...received,
    outcome: "quarantined",
    reason,
    detail,
    triedAt: recordedAt,
    keptUntil: keptUntilSeconds(receipt.message, expiry),
    flags: [],
    ...attentionAttributes(received, { kind: "quarantined", ...about }, recordedAt),
  };
}
