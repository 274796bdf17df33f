import { queryAnsweredMilliseconds, queryClaimMilliseconds } from "../timing.ts";
import type { Order } from "./order.ts";

const dayMilliseconds = 24 * 60 * 60_000;

/**
 * Whether the service need not be asked: success is final, and a timeout or failure that has stood for a
 * day will hardly change.
 */
function isSettled(order: Order, nowMilliseconds: number): boolean {
  if (order.status === "success") return true;
  if (order.status !== "timeout" && order.status !== "failed") return false;
  const learnedAt = Date.parse(order.payment.learnedAt ?? "");
  return nowMilliseconds - learnedAt > dayMilliseconds;
}

/** Whether what is stored is what the service would say: the order is settled, or was confirmed a moment ago. */
export function isFresh(order: Order, nowMilliseconds: number): boolean {
  const { query } = order;
  const isConfirmed = query?.answered === true && query.endsAtMilliseconds > nowMilliseconds;
  return isConfirmed || isSettled(order, nowMilliseconds);
}

/** The order with a claim to ask the service about it, or undefined while another caller's question stands. */
export function claimQuery(order: Order, nowMilliseconds: number): Order | undefined {
  if (order.query !== undefined && order.query.endsAtMilliseconds > nowMilliseconds)
    return undefined;
  const endsAtMilliseconds = nowMilliseconds + queryClaimMilliseconds;
  return { ...order, query: { endsAtMilliseconds, answered: false } };
}

/**
 * The order after an answer: it may be asked about again sooner than after a question without one. `isStored` is
 * false while what the service said is still on its way through the inbox: until then the stored status is stale.
 */
export function noteAnswer(order: Order, isStored: boolean, nowMilliseconds: number): Order {
  const endsAtMilliseconds = nowMilliseconds + queryAnsweredMilliseconds;
  return { ...order, query: { endsAtMilliseconds, answered: isStored } };
}
