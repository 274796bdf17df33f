import type { Fact } from "../orders/fact.ts";
import type { Order } from "../orders/order.ts";
import { orderContended } from "../orders/order-contended.ts";
import { type CallbackRecord, conflictingReceipt, firstReceipt } from "./callback-record.ts";
import type { Commit } from "./commit-plan.ts";
import { type Plan, planReceipt, type Receipt, type ReceiptSettings } from "./plan-receipt.ts";

export interface ReceiptStore {
  readonly loadOrderOf: (fact: Fact) => Promise<Order>;
  readonly commitPlan: (plan: Plan) => Promise<Commit>;
}

export interface RecordedReceipt {
  readonly record: CallbackRecord;
  /** False where this receipt had been recorded before. */
  readonly isNew: boolean;
}

/** Enough for every writer of one order to have its turn. */
const mostAttempts = 12;

/**
 * Records a receipt once. Another plaintext under a known callback id is recorded beside the first. A lost
 * race on the order is tried again at once. Throws `order-contended`, which a later delivery settles.
 */
export async function recordReceipt(
  receipt: Receipt,
  settings: ReceiptSettings,
  store: ReceiptStore,
): Promise<RecordedReceipt> {
  let receiptName = firstReceipt;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const order = await store.loadOrderOf(receipt.fact);
    const plan = planReceipt(receipt, receiptName, order, settings);
    const commit = await store.commitPlan(plan);
    if (commit.kind === "committed") return { record: plan.record, isNew: true };
    if (commit.kind === "recorded") {
      const isSame = commit.record.bodyHash === plan.record.bodyHash;
      if (isSame) return { record: commit.record, isNew: false };
      receiptName = conflictingReceipt(plan.record.bodyHash);
    }
  }
  throw orderContended();
}
