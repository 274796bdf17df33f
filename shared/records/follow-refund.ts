import type { Notice } from "../attention/notice.ts";
import { type Fact, refundFactId } from "../facts/fact.ts";
import { type Flag, raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import { refundsContradict } from "../orders/check-refunds.ts";
import { dueAtOnce, isOpen } from "../orders/due.ts";
import type { FactInPlace, RefundInPlace } from "./fact-in-place.ts";
import { noticesOfFact } from "./fact-notices.ts";
import type { Expiry } from "./record-expiry.ts";

export interface FollowRefund {
  /** Reads the aggregate that the fact is about. */
  readonly loadPlace: (fact: Fact) => Promise<FactInPlace>;
  /** False if another writer was first. */
  readonly save: (aggregate: Aggregate, notices?: readonly Notice[]) => Promise<boolean>;
  readonly retryOnContention: <T>(tryOnce: () => Promise<T | undefined>) => Promise<T>;
}

/**
 * After the transaction of a refund. If its order was open, the service is asked about the order at once, and the order's
 * end is then held against the refund. This write needs the order as the refund read it. If it fails, the order may have
 * ended meanwhile without knowing of the refund, so the two are compared here. `isRecorded`: the refund was there when
 * `place` was read, by a try that did not come to its end here. Returns the flags that this raises.
 */
export async function followRefund(
  place: RefundInPlace,
  isRecorded: boolean,
  expiry: Expiry,
  store: FollowRefund,
): Promise<readonly Flag[]> {
  let current: FactInPlace = place;
  let isCurrent = isRecorded;
  return await store.retryOnContention(async () => {
    if (current.kind !== "payment" || current.order === undefined) return [];
    if (isOpen(current.order)) {
      if (await store.save(dueAtOnce(current.order, expiry.now()))) return [];
    } else {
      const raised = isCurrent ? await flagPayment(current, expiry, store) : [];
      if (raised !== undefined) return raised;
    }
    current = await store.loadPlace(place.fact);
    isCurrent = true;
    return undefined;
  });
}

/** Undefined if another writer was first. */
async function flagPayment(
  place: RefundInPlace,
  expiry: Expiry,
  store: FollowRefund,
): Promise<readonly Flag[] | undefined> {
  const { aggregate: payment, order, fact } = place;
  const isKnown = payment.flags.includes("mismatch");
  if (isKnown || order === undefined || !refundsContradict(payment, order)) return [];
  const raised = raisedFlags({ mismatch: true });
  const flagged = { ...payment, flags: unionOfFlags(payment.flags, raised) };
  const factId = refundFactId(fact);
  const notices = noticesOfFact(place, { factId, flags: raised }, undefined, expiry);
  return (await store.save(flagged, notices)) ? raised : undefined;
}
