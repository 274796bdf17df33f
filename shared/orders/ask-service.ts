import { queryAnsweredMilliseconds, queryClaimMilliseconds } from "../timing.ts";
import { isSettled } from "./due.ts";
import { type Order, refusalOf } from "./order.ts";

/** Whether the stored status is current: it is settled, or the service confirmed it a moment ago or refused the order. */
export function isFresh(order: Order, nowMilliseconds: number): boolean {
  const { query } = order;
  const isRecent = query !== undefined && query.endsAtMilliseconds > nowMilliseconds;
  const isConfirmed = isRecent && hasAnswer(order);
  return isConfirmed || isSettled(order) || refusalOf(order) !== undefined;
}

/** Whether what the service answered to the latest question is stored. */
function hasAnswer({ query, facts }: Order): boolean {
  if (query?.awaits !== undefined) return facts[query.awaits] !== undefined;
  return query?.answered === true;
}

/** The order with this caller's claim to ask the service, or undefined while another caller has the claim. */
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
 * The same for a check, which asks about every payment: that the service answered about one of them a moment ago is no
 * reason to wait. Otherwise a page that asks again and again would keep the order from its check.
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

/** The order with the claim of the caller that has it already, for its next question. */
export function renewClaim(order: Order, nowMilliseconds: number, random: number): Order {
  const endsAtMilliseconds = nowMilliseconds + queryClaimMilliseconds;
  return {
    ...order,
    query: { endsAtMilliseconds, answered: false, by: Math.floor(random * 2 ** 32) },
  };
}

/**
 * The order after an answer: the next question is allowed sooner than after a question without an answer. `isConfirmed`
 * is false if the service answered, but did not confirm the stored status.
 */
export function noteAnswer(order: Order, isConfirmed: boolean, nowMilliseconds: number): Order {
  const endsAtMilliseconds = nowMilliseconds + queryAnsweredMilliseconds;
  return { ...order, query: { endsAtMilliseconds, answered: isConfirmed } };
}

/** The same after an answer that is still in the inbox: the stored status is stale until the order has its fact. */
export function noteNews(order: Order, factId: string, nowMilliseconds: number): Order {
  const endsAtMilliseconds = nowMilliseconds + queryAnsweredMilliseconds;
  return { ...order, query: { endsAtMilliseconds, answered: false, awaits: factId } };
}
