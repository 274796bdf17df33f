import type { Notice } from "../attention/notice.ts";
import type { Fact } from "../facts/fact.ts";
import type { Flag } from "../facts/flags.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import type { CallbackRecord, KnownFactRecord, PublishedRecord } from "./callback-record.ts";
import type { FactContext } from "./fact-context.ts";
import { type FollowRefund, followRefund } from "./follow-refund.ts";
import { noticesOfEnd, type Plan, planReceipt, type ReceiptSettings } from "./plan-receipt.ts";
import type { Receipt } from "./receipt.ts";
import type { Expiry } from "./record-expiry.ts";
import type { Commit } from "./record-store.ts";
import { restoreFact } from "./restore-fact.ts";

export interface ReceiptStore extends FollowRefund {
  /** Writes all or nothing. */
  readonly commit: (
    record: CallbackRecord,
    aggregate?: Aggregate,
    notices?: readonly Notice[],
  ) => Promise<Commit>;
}

export interface RecordedReceipt {
  readonly record: CallbackRecord;
  /** False if this receipt had a record already. */
  readonly isNew: boolean;
  /** Flags that were raised after the record was written. */
  readonly raisedLater?: readonly Flag[];
  /** Set if the receipt had a record, but its aggregate lacked the fact. */
  readonly isRestored?: true;
}

/**
 * Records a receipt exactly once: one transaction writes the record, the order or payment after the fact, and notices.
 * Its conditions are that the record is new and that the aggregate has not changed since it was read.
 *
 * If another writer changed the aggregate, everything is read and planned again. If the record exists with the same
 * content, the receipt is a duplicate. If it exists with different content, the callback id was used twice: the receipt
 * is recorded beside the first one, flagged `conflict`.
 *
 * Throws `aggregate-contended` if other writers keep winning; the message is then retried.
 */
export async function recordReceipt(
  receipt: Receipt,
  fact: Fact,
  settings: ReceiptSettings,
  store: ReceiptStore,
): Promise<RecordedReceipt> {
  let isConflict = false;
  const inContext = await store.retryOnContention<RecordedInContext>(async () => {
    const context = await store.loadContext(fact);
    const plan = planReceipt(receipt, context, isConflict, settings);
    const commit = await store.commit(plan.record, plan.aggregate, plan.notices);
    if (commit.kind === "committed") {
      return { context, recorded: { record: plan.record, isNew: true } };
    }
    if (commit.kind === "lost-race") return undefined;
    const isSame = commit.record.contentHash === plan.record.contentHash;
    if (isSame) return await restore(commit.record, { context, plan }, settings, store);
    isConflict = true;
    return undefined;
  });
  return await afterRecording(inContext, settings, store);
}

/**
 * Processes a record that a redrive names. The record is not written and nothing is published. Its aggregate gets the
 * fact if it lacks it.
 */
export async function reviseRecord(
  record: PublishedRecord | KnownFactRecord,
  receipt: Receipt,
  fact: Fact,
  settings: ReceiptSettings,
  store: ReceiptStore,
): Promise<RecordedReceipt> {
  const inContext = await store.retryOnContention(async () => {
    const context = await store.loadContext(fact);
    const plan = planReceipt(receipt, context, false, settings);
    return await restore(record, { context, plan }, settings, store);
  });
  return await afterRecording(inContext, settings, store);
}

interface RecordedInContext {
  readonly context: FactContext;
  readonly recorded: RecordedReceipt;
}

/** `plan` is what the receipt would lead to if it had no record. */
interface PlanInContext {
  readonly context: FactContext;
  readonly plan: Plan;
}

/** A duplicate. Restores the fact if a restored table lacks it. Undefined if another writer was first. */
async function restore(
  record: CallbackRecord,
  { context, plan }: PlanInContext,
  expiry: Expiry,
  store: ReceiptStore,
): Promise<RecordedInContext | undefined> {
  const restored = restoreFact(context.aggregate, plan, record);
  if (restored === undefined) return { context, recorded: { record, isNew: false } };
  // The notices about the fact were written with its record.
  const isSaved = await store.save(restored, noticesOfEnd(context, restored, expiry));
  return isSaved ? { context, recorded: { record, isNew: false, isRestored: true } } : undefined;
}

/** Runs for a duplicate too, because the first attempt may have crashed before it. */
async function afterRecording(
  { context, recorded }: RecordedInContext,
  settings: ReceiptSettings,
  store: ReceiptStore,
): Promise<RecordedReceipt> {
  if (context.kind === "order") return recorded;
  const isRecorded = !recorded.isNew && !recorded.isRestored;
  const raisedLater = await followRefund(context, isRecorded, settings, store);
  return { ...recorded, raisedLater };
}
