import type { Fact } from "../facts/fact.ts";
import { type Flag, raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Aggregate } from "../orders/aggregate-store.ts";
import { refundsContradict } from "../orders/check-refunds.ts";
import { dueAtOnce, isOpen } from "../orders/due.ts";
import type { FactInPlace, RefundInPlace } from "./plan-receipt.ts";

export interface FollowRefund {
  /** Reads the aggregate that the fact is about. */
  readonly loadPlace: (fact: Fact) => Promise<FactInPlace>;
  /** False if another writer was first. */
  readonly save: (aggregate: Aggregate) => Promise<boolean>;
  readonly retryOnContention: <T>(tryOnce: () => Promise<T | undefined>) => Promise<T>;
}

/**
 * After the transaction of a refund. If its order was open, the service is asked about the order at once, and the order's
 * end is then held against the refund. This write needs the order as the refund read it. If it fails, the order may have
 * ended meanwhile without knowing of the refund, so the two are compared here. Returns the flags that this raises.
 */
export async function followRefund(
  place: RefundInPlace,
  now: () => number,
  store: FollowRefund,
): Promise<readonly Flag[]> {
  let { order } = place;
  return await store.retryOnContention(async () => {
    if (order === undefined || !isOpen(order)) return [];
    const due = dueAtOnce(order, now());
    if (await store.save(due)) return [];
    const current = await store.loadPlace(place.fact);
    if (current.kind !== "payment") return [];
    order = current.order;
    const hasEnded = order !== undefined && !isOpen(order);
    return hasEnded ? await flagPayment(current, store) : undefined;
  });
}

/** Undefined if another writer was first. */
async function flagPayment(
  { aggregate: payment, order }: RefundInPlace,
  store: FollowRefund,
): Promise<readonly Flag[] | undefined> {
  const isKnown = payment.flags.includes("mismatch");
  if (isKnown || order === undefined || !refundsContradict(payment, order)) return [];
  const raised = raisedFlags({ mismatch: true });
  const flagged = { ...payment, flags: unionOfFlags(payment.flags, raised) };
  return (await store.save(flagged)) ? raised : undefined;
}
