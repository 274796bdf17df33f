import { stageOf } from "../facts/event-types.ts";
import { type Flag, unionOfFlags } from "../facts/flags.ts";
import { groupOf } from "../facts/subject.ts";
import {
  firstCheckMilliseconds,
  lastQuestionMilliseconds,
  latestFirstCheckMilliseconds,
  longestGapMilliseconds,
  retryQuestionMilliseconds,
  serviceRetriesEndMilliseconds,
  settledMilliseconds,
} from "../timing.ts";
import type { Order } from "./order.ts";

/** The index of orders with a next check, by `dueShard` and `dueAtMilliseconds`. `withDue` sets and removes both. */
export const byDueIndex = "by-due";
/** Spreads the index over several partition keys: one key takes 1,000 writes per second. */
export const dueShards = ["0", "1", "2", "3", "4", "5", "6", "7"] as const;

/** Whether the payment has not ended. */
export function isOpen({ status }: Pick<Order, "status">): boolean {
  return stageOf(status) === "open";
}

/**
 * Whether the status is final: the order is paid, or the last check confirmed that it ended unpaid. Only that check
 * removes the due time of an unpaid order without flagging it `unresolved`.
 */
export function isSettled(order: Order): boolean {
  if (isOpen(order)) return false;
  if (stageOf(order.status) === "final") return true;
  const hasPayment = order.creation !== undefined && order.paymentIds.length > 0;
  return hasPayment && order.dueAtMilliseconds === undefined && !order.flags.includes("unresolved");
}

/** When reconciliation makes the last check of an order that ended unpaid. */
function settlesAt({ payment }: Order): number {
  const learnedAt = payment.learnedAt === undefined ? 0 : Date.parse(payment.learnedAt);
  return learnedAt + settledMilliseconds;
}

/** The order after an attempt to create it has ended. Without a payment id there is nothing to query. */
export function dueAfterCreation(order: Order): Order {
  const { creation, paymentIds, dueAtMilliseconds: dueAt } = order;
  if (creation === undefined || paymentIds.length === 0) return order;
  const created = withoutConfirmation(order);
  switch (stageOf(order.status)) {
    case "open": {
      const first = expectedEndOf(order) + firstCheckMilliseconds;
      return withDue(created, Math.min(first, dueAt ?? first));
    }
    case "ended":
      return withDue(created, settlesAt(order));
    case "final":
      return withDue(created, undefined);
  }
}

/**
 * The order after a fact. A success needs no check, a timeout or failure a last one. A fact about another attempt shows
 * that the order may have a payment that nobody watches, so the order is due immediately. Any other fact changes
 * nothing.
 */
export function dueAfterFact(
  before: Order,
  after: Order,
  flags: readonly Flag[],
  nowMilliseconds: number,
): Order {
  const { creation, paymentIds } = after;
  const stage = stageOf(after.status);
  const hasEnded = stage !== "open" && before.status !== after.status;
  const resolved = hasEnded ? withoutConfirmation(asResolved(after)) : after;
  if (stage === "final") return withDue(resolved, undefined);
  if (creation === undefined || paymentIds.length === 0) return resolved;
  if (flags.includes("otherAttempt")) {
    return dueAtOnce(withoutConfirmation(resolved), nowMilliseconds);
  }
  return hasEnded ? withDue(resolved, settlesAt(after)) : resolved;
}

/**
 * The order after the service responded to every query of a check. The gap to the next check is the time since the
 * order should have ended, so the gaps grow without a counter.
 */
export function dueAfterAnswer(order: Order, nowMilliseconds: number): Order {
  switch (stageOf(order.status)) {
    case "open":
      return openAfterAnswer(order, nowMilliseconds);
    case "ended": {
      const last = settlesAt(order);
      if (nowMilliseconds < last) return withDue(order, last);
      return withDue({ ...asResolved(order), isEndConfirmed: true }, undefined);
    }
    case "final":
      return withDue(order, undefined);
  }
}

function openAfterAnswer(order: Order, nowMilliseconds: number): Order {
  const expectedEnd = expectedEndOf(order);
  const lastCheckAt = expectedEnd + serviceRetriesEndMilliseconds;
  if (nowMilliseconds >= lastCheckAt) return asUnresolved(order);
  const overdue = nowMilliseconds - expectedEnd;
  const gap = Math.min(Math.max(overdue, firstCheckMilliseconds), longestGapMilliseconds);
  const next = Math.max(nowMilliseconds + gap, expectedEnd + firstCheckMilliseconds);
  return withDue(order, Math.min(next, lastCheckAt));
}

/**
 * The order during a check: when it is checked next if the service does not respond. The pause is only an eighth of the
 * usual gap, but at least ten minutes, because the check is still to be made. `random` (0 to 1) spreads orders that
 * failed together.
 */
export function dueAfterFailure(order: Order, nowMilliseconds: number, random: number): Order {
  const pause = Math.max(waitedFor(order, nowMilliseconds) / 8, retryQuestionMilliseconds);
  return withDue(order, Math.round(nowMilliseconds + pause * (0.8 + 0.4 * random)));
}

/**
 * The order after a check without a usable response. It keeps its next check until the retries end, then it is
 * unresolved. If an earlier check confirmed the end and an operator asked for another check, the end stays confirmed.
 */
export function endRepeats(order: Order, nowMilliseconds: number): Order {
  const isOver = waitedFor(order, nowMilliseconds) >= lastQuestionMilliseconds;
  if (!isOver) return order;
  return hasConfirmedEnd(order) ? withDue(order, undefined) : asUnresolved(order);
}

function hasConfirmedEnd(order: Order): boolean {
  return order.isEndConfirmed === true && !isOpen(order);
}

/**
 * The order after something raised doubt about its confirmed end. Returns the identical object if none was confirmed.
 */
export function withoutConfirmation(order: Order): Order {
  const { isEndConfirmed, ...unconfirmed } = order;
  return isEndConfirmed === undefined ? order : unconfirmed;
}

/**
 * The order with an immediate check, because something shows that the service knows more. Without a payment id there is
 * nothing to query.
 */
export function dueAtOnce(order: Order, nowMilliseconds: number): Order {
  const { creation, paymentIds, dueAtMilliseconds: dueAt = nowMilliseconds } = order;
  if (creation === undefined || paymentIds.length === 0) return order;
  return withDue(order, Math.min(nowMilliseconds, dueAt));
}

/** How long an open order has been overdue, or how long ago the end of any other order became known. */
function waitedFor(order: Order, nowMilliseconds: number): number {
  const since = isOpen(order) ? expectedEndOf(order) : settlesAt(order) - settledMilliseconds;
  return nowMilliseconds - since;
}

/**
 * When an open order should have ended. The caller may send a payment time of any year (§2.3), so an expiry before the
 * creation counts as the creation time, and a late one is limited so that the first check happens within a day.
 * Otherwise the first check could be the last one, or never happen. An order is due only after its creation, so both
 * times are known.
 */
function expectedEndOf({ creation, attempts }: Order): number {
  const madeAt = attempts.at(-1)?.startedAtMilliseconds ?? 0;
  const latest = madeAt + latestFirstCheckMilliseconds - firstCheckMilliseconds;
  return Math.min(Math.max(creation?.expiresAtMilliseconds ?? 0, madeAt), latest);
}

function asUnresolved(order: Order): Order {
  return withDue({ ...order, flags: unionOfFlags(order.flags, ["unresolved"]) }, undefined);
}

/** Removes the marks that apply only until the order's end is known. */
function asResolved(order: Order): Order {
  const { hasUnreadableAnswer, ...resolved } = order;
  return { ...resolved, flags: order.flags.filter((flag) => flag !== "unresolved") };
}

/** Sets or removes both attributes together. Returns the identical object if the time does not change. */
function withDue(order: Order, dueAtMilliseconds: number | undefined): Order {
  if (order.dueAtMilliseconds === dueAtMilliseconds) return order;
  const dueShard = dueAtMilliseconds === undefined ? undefined : shardOf(order);
  return { ...order, dueShard, dueAtMilliseconds };
}

function shardOf(order: Order): string {
  return String(Number.parseInt(groupOf(order).slice(0, 4), 16) % dueShards.length);
}
