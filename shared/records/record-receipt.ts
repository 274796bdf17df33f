import type { Notice } from "../attention/notice.ts";
import type { Fact } from "../facts/fact.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import type { EndCount } from "../orders/count-end.ts";
import type { CallbackRecord, KnownFactRecord, PublishedRecord } from "./callback-record.ts";
import type { FactContext } from "./fact-context.ts";
import { noticesOfEnd, type Plan, planReceipt, type ReceiptSettings } from "./plan-receipt.ts";
import type { Receipt } from "./receipt.ts";
import type { Expiry } from "./record-expiry.ts";
import type { Commit } from "./record-store.ts";
import { restoreFact } from "./restore-fact.ts";

export interface ReceiptStore {
  /** Reads the aggregate of the fact and what it is compared with. */
  readonly loadContext: (fact: Fact) => Promise<FactContext>;
  /** Writes all or nothing. */
  readonly commit: (
    record: CallbackRecord,
    aggregates: readonly Aggregate[],
    notices?: readonly Notice[],
  ) => Promise<Commit>;
  /** The same without a record. False if another writer was first. */
  readonly save: (aggregates: readonly Aggregate[], notices: readonly Notice[]) => Promise<boolean>;
  readonly retryOnContention: <T>(tryOnce: () => Promise<T | undefined>) => Promise<T>;
}

export interface RecordedReceipt {
  readonly record: CallbackRecord;
  /** False if this receipt had a record already. */
  readonly isNew: boolean;
  /** Set if this invocation wrote the record, and it is about the end of an order. */
  readonly end?: EndCount | undefined;
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
  return await store.retryOnContention<RecordedReceipt>(async () => {
    const context = await store.loadContext(fact);
    const plan = planReceipt(receipt, context, isConflict, settings);
    const aggregates = writtenWith(plan, plan.aggregate);
    const commit = await store.commit(plan.record, aggregates, plan.notices);
    if (commit.kind === "committed") return { record: plan.record, isNew: true, end: plan.end };
    if (commit.kind === "lost-race") return undefined;
    const isSame = commit.record.contentHash === plan.record.contentHash;
    if (isSame) return await restore(commit.record, { context, plan }, settings, store);
    isConflict = true;
    return undefined;
  });
}

/** `changed`: the aggregate of the fact. Undefined if it stays as it is. */
function writtenWith({ unpaidOrder }: Plan, changed: Aggregate | undefined): Aggregate[] {
  return [changed, unpaidOrder].filter((aggregate) => aggregate !== undefined);
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
  return await store.retryOnContention(async () => {
    const context = await store.loadContext(fact);
    const plan = planReceipt(receipt, context, false, settings);
    return await restore(record, { context, plan }, settings, store);
  });
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
): Promise<RecordedReceipt | undefined> {
  const restored = restoreFact(context.aggregate, plan, record);
  if (restored === undefined) return { record, isNew: false };
  // The notices about the fact were written with its record.
  const notices = noticesOfEnd(context, restored, expiry);
  const isSaved = await store.save(writtenWith(plan, restored), notices);
  return isSaved ? { record, isNew: false, isRestored: true } : undefined;
}
