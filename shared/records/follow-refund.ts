import type { Notice } from "../attention/notice.ts";
import { type Fact, refundFactId } from "../facts/fact.ts";
import { type Flag, raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import { refundsContradict } from "../orders/check-refunds.ts";
import { dueAtOnce, isOpen } from "../orders/due.ts";
import type { FactContext, RefundContext } from "./fact-context.ts";
import { noticesOfFact } from "./fact-notices.ts";
import type { Expiry } from "./record-expiry.ts";

export interface FollowRefund {
  /** Reads the aggregate of the fact and what it is compared with. */
  readonly loadContext: (fact: Fact) => Promise<FactContext>;
  /** False if another writer was first. */
  readonly save: (aggregate: Aggregate, notices?: readonly Notice[]) => Promise<boolean>;
  readonly retryOnContention: <T>(tryOnce: () => Promise<T | undefined>) => Promise<T>;
}

/**
 * Runs after the transaction of a refund. An open order becomes due for a query immediately, and the fact that ends it
 * is then compared with the refund. This write requires the order as it was read. If it fails, the order may have ended
 * without knowing of the refund, so the two are compared here.
 *
 * `isRecorded`: the refund was already stored when `context` was read, because an earlier attempt stopped before this
 * point. Returns the flags that this raises.
 */
export async function followRefund(
  context: RefundContext,
  isRecorded: boolean,
  expiry: Expiry,
  store: FollowRefund,
): Promise<readonly Flag[]> {
  let current: FactContext = context;
  let isCurrent = isRecorded;
  return await store.retryOnContention(async () => {
    if (current.kind !== "payment" || current.order === undefined) return [];
    if (isOpen(current.order)) {
      if (await store.save(dueAtOnce(current.order, expiry.now()))) return [];
    } else {
      const raised = isCurrent ? await flagPayment(current, expiry, store) : [];
      if (raised !== undefined) return raised;
    }
    current = await store.loadContext(context.fact);
    isCurrent = true;
    return undefined;
  });
}

/** Undefined if another writer was first. */
async function flagPayment(
  context: RefundContext,
  expiry: Expiry,
  store: FollowRefund,
): Promise<readonly Flag[] | undefined> {
  const { aggregate: payment, order, fact } = context;
  const isKnown = payment.flags.includes("mismatch");
  if (isKnown || order === undefined || !refundsContradict(payment, order)) return [];
  const raised = raisedFlags({ mismatch: true });
  const flagged = { ...payment, flags: unionOfFlags(payment.flags, raised) };
  const factId = refundFactId(fact);
  const notices = noticesOfFact(context, { factId, flags: raised }, undefined, expiry);
  return (await store.save(flagged, notices)) ? raised : undefined;
}
