import { isPaid, stageOf } from "../facts/event-types.ts";
import type { Flag } from "../facts/flags.ts";
import { groupOf } from "../facts/subject.ts";
import {
  earlyQuestionLifetimeMilliseconds,
  earlyQuestionMilliseconds,
  firstCheckMilliseconds,
  lastQuestionMilliseconds,
  longestGapMilliseconds,
  longestRetryQuestionMilliseconds,
  retryQuestionMilliseconds,
  serviceRetriesEndMilliseconds,
  settledMilliseconds,
} from "../timing.ts";
import type { Order } from "./order.ts";
import { moveState, waitingSince } from "./order-moves.ts";

/** The index of orders with a next check, by `dueShard` and `dueAtMilliseconds`. `withDue` sets and removes both. */
export const byDueIndex = "by-due";
/** The index of orders with an early query, by `dueShard` and `earlyAtMilliseconds`. */
export const byEarlyIndex = "by-early";
/** Spreads the index over several partition keys: one key takes 1,000 writes per second. */
export const dueShards = ["0", "1", "2", "3", "4", "5", "6", "7"] as const;

/** Whether the payment has not ended. */
export function isOpen({ status }: Pick<Order, "status">): boolean {
  return stageOf(status) === "open";
}

/**
 * The order after an attempt ended, if a payment of the order is known. `brought`: the move of an open order, if the
 * attempt brought the payment that the order now follows.
 */
export function dueAfterPayment(
  order: Order,
  brought: "payment-open" | "payment-incomplete" | undefined,
): Order {
  const { dueAtMilliseconds: dueAt } = order;
  switch (stageOf(order.status)) {
    case "open": {
      if (brought === undefined) return order;
      const open = withEarlyQuestion(moveState(order, brought));
      const first = waitingSince(open) + firstCheckMilliseconds;
      return withDue(open, Math.min(first, dueAt ?? first));
    }
    case "ended":
      return withLastCheck(moveState(order, "payment-ended"));
    case "final":
      return withDue(moveState(order, "payment-paid"), undefined);
  }
}

/**
 * An order that may be paid for a day would have its first check only after that. If a run has time to spare, it queries
 * the order once while it is young. Consumers pay in the first minutes, so a lost callback is found then.
 */
function withEarlyQuestion(order: Order): Order {
  const madeAt = order.attempts.at(-1)?.startedAtMilliseconds;
  const { kind } = order.state;
  const isLong =
    (kind === "open" || kind === "incomplete") &&
    madeAt !== undefined &&
    waitingSince(order) - madeAt > earlyQuestionLifetimeMilliseconds;
  return { ...order, earlyAtMilliseconds: isLong ? madeAt + earlyQuestionMilliseconds : undefined };
}

/** A timeout or failure is checked a last time. */
function withLastCheck(order: Order): Order {
  return withDue(order, lastCheckAt(order));
}

function lastCheckAt(order: Order): number {
  const { state } = order;
  if (state.kind === "ended") return state.confirmAtMilliseconds;
  return waitingSince(order) + settledMilliseconds;
}

/**
 * The order after a fact. A success needs no check, a timeout or failure a last one. A fact about another attempt shows
 * that the order may have a payment that nobody watches, so the order is due immediately, and so is one that ended
 * unpaid although a refund is known. Any other fact changes nothing. An order whose payment is not known here is never due.
 */
export function dueAfterFact(
  before: Order,
  after: Order,
  flags: readonly Flag[],
  nowMilliseconds: number,
): Order {
  const hasEnded = !isOpen(after) && before.status !== after.status;
  const moved = moveState(after, hasEnded ? endOf(after) : "told");
  if (moved.state.kind === "paid") return withDue(moved, undefined);
  if (flags.includes("otherAttempt")) {
    return dueAtOnce(moveState(moved, "doubted"), nowMilliseconds);
  }
  if (!hasEnded || moved.state.kind !== "ended") return moved;
  // Without money, only a refund that is known already can be a mismatch. It shows that the order was paid.
  const checked = withLastCheck(moved);
  return flags.includes("mismatch") ? dueAtOnce(checked, nowMilliseconds) : checked;
}

function endOf({ status }: Order): "ended" | "paid" {
  return stageOf(status) === "final" ? "paid" : "ended";
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
      const last = lastCheckAt(order);
      if (nowMilliseconds < last) return withDue(order, last);
      return withDue(moveState(order, "confirmed"), undefined);
    }
    case "final":
      return withDue(order, undefined);
  }
}

function openAfterAnswer(order: Order, nowMilliseconds: number): Order {
  const expectedEnd = waitingSince(order);
  const lastCheckTime = expectedEnd + serviceRetriesEndMilliseconds;
  if (nowMilliseconds >= lastCheckTime) return giveUp(order);
  const overdue = nowMilliseconds - expectedEnd;
  const gap = Math.min(Math.max(overdue, firstCheckMilliseconds), longestGapMilliseconds);
  const next = Math.max(nowMilliseconds + gap, expectedEnd + firstCheckMilliseconds);
  return withDue(order, Math.min(next, lastCheckTime));
}

/**
 * The order during a check: when it is checked next if the check fails. The pause doubles with each check in a row that
 * failed. `random` (0 to 1) spreads orders that failed together.
 */
export function dueAfterFailure(order: Order, nowMilliseconds: number, random: number): Order {
  const doubled = retryQuestionMilliseconds * 2 ** (order.failedChecks ?? 0);
  const pause = Math.min(doubled, longestRetryQuestionMilliseconds);
  return withDue(order, Math.round(nowMilliseconds + pause * (0.8 + 0.4 * random)));
}

/** The order after a check that failed although the service responds to others. */
export function countFailure(order: Order): Order {
  return { ...order, failedChecks: (order.failedChecks ?? 0) + 1 };
}

/**
 * The order after a check without a usable response. It keeps its next check until the retries end. A paid order, which
 * an operator asked about, is not checked again.
 */
export function endRepeats(order: Order, nowMilliseconds: number): Order {
  if (isPaid(order.status)) return withDue(order, undefined);
  const isOver = nowMilliseconds - waitingSince(order) >= lastQuestionMilliseconds;
  return isOver ? giveUp(order) : order;
}

/** The order is not checked any more. */
function giveUp(order: Order): Order {
  return withDue(moveState(order, "given-up"), undefined);
}

/**
 * The order with an immediate check, because something shows that the service knows more, or because an operator asks.
 * An order whose payment is not known here cannot be queried.
 */
export function dueAtOnce(order: Order, nowMilliseconds: number): Order {
  const isPaidHere = order.state.kind === "paid" && order.paymentIds.length > 0;
  if (!isPaidHere && !("waitingSinceMilliseconds" in order.state)) return order;
  const { dueAtMilliseconds: dueAt = nowMilliseconds } = order;
  return withDue(order, Math.min(nowMilliseconds, dueAt));
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
