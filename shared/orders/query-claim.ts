import { queryAnsweredMilliseconds, queryClaimMilliseconds } from "../timing.ts";
import { isSettled } from "./due.ts";
import { type Order, refusalOf } from "./order.ts";

/**
 * Whether the stored status is current: it is settled, the service confirmed it a moment ago, or the service refused
 * the order.
 */
export function isFresh(order: Order, nowMilliseconds: number): boolean {
  const { query } = order;
  const isRecent = query !== undefined && query.endsAtMilliseconds > nowMilliseconds;
  const isConfirmed = isRecent && hasAnswer(order);
  return isConfirmed || isSettled(order) || refusalOf(order) !== undefined;
}

/** Whether the result of the latest query is stored. */
function hasAnswer({ query, facts }: Order): boolean {
  if (query?.awaits !== undefined) return facts[query.awaits] !== undefined;
  return query?.answered === true;
}

/** The order with this caller's claim to query the service. Undefined while another caller holds the claim. */
export function claimQuery(
  order: Order,
  nowMilliseconds: number,
  random: number,
): Order | undefined {
  if (order.query !== undefined && order.query.endsAtMilliseconds > nowMilliseconds)
    return undefined;
  return renewClaim(order, nowMilliseconds, random);
}

/**
 * The same for a check, which queries every payment of the order. A recent result for one payment does not postpone it;
 * otherwise a page that keeps polling would prevent the check.
 */
export function claimCheck(
  order: Order,
  nowMilliseconds: number,
  random: number,
): Order | undefined {
  const { by, awaits } = order.query ?? {};
  const isAnswered = by === undefined && awaits === undefined;
  return (isAnswered ? renewClaim : claimQuery)(order, nowMilliseconds, random);
}

/** Extends the claim of the caller that holds it, for its next query. */
export function renewClaim(order: Order, nowMilliseconds: number, random: number): Order {
  const endsAtMilliseconds = nowMilliseconds + queryClaimMilliseconds;
  return {
    ...order,
    query: { endsAtMilliseconds, answered: false, by: Math.floor(random * 2 ** 32) },
  };
}

/**
 * The order after a result. The next query is allowed sooner than after a query without a result. `isConfirmed` is
 * false if the service responded but did not confirm the stored status.
 */
export function noteAnswer(order: Order, isConfirmed: boolean, nowMilliseconds: number): Order {
  const endsAtMilliseconds = nowMilliseconds + queryAnsweredMilliseconds;
  return { ...order, query: { endsAtMilliseconds, answered: isConfirmed } };
}

/** The same if the result is still in the inbox: the stored status is stale until the order has this fact. */
export function noteNews(order: Order, factId: string, nowMilliseconds: number): Order {
  const endsAtMilliseconds = nowMilliseconds + queryAnsweredMilliseconds;
  return { ...order, query: { endsAtMilliseconds, answered: false, awaits: factId } };
}
