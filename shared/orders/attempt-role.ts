import type { PaymentFact } from "../facts/fact.ts";
import type { Attempt, Order } from "./order.ts";

/**
 * The attempt to create the order that a fact is about. `current`: the attempt that the order follows, which is the
 * latest one that the service did not refuse. `other`: an earlier attempt whose response was lost. `refused`: the
 * service refused every attempt but reports on the order.
 */
export type AttemptRole = "current" | "other" | "refused";

export function attemptRoleOf(order: Order, trace: AttemptTrace): AttemptRole {
  const { attempts } = order;
  if (attempts.length === 0) return "current";
  const current = currentAttempt(order);
  if (current === undefined) return "refused";
  const about = attemptOf(order, trace);
  if (about !== undefined) return about === current ? "current" : "other";
  return hasAlternatives(order) ? "other" : "current";
}

/** The attempt that the order follows. */
export function currentAttempt({ attempts }: Order): Attempt | undefined {
  return attempts.findLast(({ state }) => state !== "refused");
}

/** Whether a fact that names no attempt could be about more than one. */
export function hasAlternatives({ attempts }: Order): boolean {
  return attempts.filter(({ state }) => state !== "refused").length > 1;
}

/** The fields of a fact that identify its attempt. */
export interface AttemptTrace {
  readonly paymentId?: string | undefined;
  /** From callbacks only. In a query's result, the field of that name may be another time (§2.9). */
  readonly paymentTimeMilliseconds?: number | undefined;
  /** The service sent the time without milliseconds, so it equals any time in that second. */
  readonly isPaymentTimeWholeSecond?: true | undefined;
}

export function traceOf(fact: PaymentFact): AttemptTrace {
  const { origin, paymentId, createdAtMilliseconds, isCreatedAtWholeSecond } = fact;
  if (origin === "query") return { paymentId };
  const isPaymentTimeWholeSecond = isCreatedAtWholeSecond ? true : undefined;
  return { paymentId, paymentTimeMilliseconds: createdAtMilliseconds, isPaymentTimeWholeSecond };
}

/**
 * The attempt that a trace identifies. Attempts may have the same time, because a caller may choose it; the latest one
 * that the service did not refuse then counts. Undefined if there is none, or if a time without milliseconds matches
 * several attempts.
 */
export function attemptOf({ attempts }: Order, trace: AttemptTrace): Attempt | undefined {
  const { paymentId } = trace;
  const matches = attempts.filter(
    (attempt) =>
      (paymentId !== undefined && attempt.paymentId === paymentId) || isSameTime(attempt, trace),
  );
  const open = matches.filter(({ state }) => state !== "refused");
  const isUnclear = trace.isPaymentTimeWholeSecond && timesOf(open).size > 1;
  return isUnclear ? undefined : (open.at(-1) ?? matches.at(-1));
}

function timesOf(attempts: readonly Attempt[]): ReadonlySet<number> {
  return new Set(attempts.map(({ paymentTimeMilliseconds }) => paymentTimeMilliseconds));
}

/** Whether two traces certainly belong to different attempts. */
export function attemptsDiffer(order: Order, trace: AttemptTrace, other: AttemptTrace): boolean {
  if (order.attempts.length > 0) {
    const [first, second] = [attemptOf(order, trace), attemptOf(order, other)];
    return first !== undefined && second !== undefined && first !== second;
  }
  const { paymentId, paymentTimeMilliseconds } = trace;
  return (
    areDifferent(paymentId, other.paymentId) ||
    (areDifferent(paymentTimeMilliseconds, other.paymentTimeMilliseconds) &&
      !isSameTime(trace, other))
  );
}

function areDifferent<T>(left: T | undefined, right: T | undefined): boolean {
  return left !== undefined && right !== undefined && left !== right;
}

type TracedTime = Omit<AttemptTrace, "paymentId">;

/** A time without milliseconds equals any time in its second. */
function isSameTime(left: TracedTime, right: TracedTime): boolean {
  const [first, second] = [left.paymentTimeMilliseconds, right.paymentTimeMilliseconds];
  if (first === undefined || second === undefined) return false;
  if (!left.isPaymentTimeWholeSecond && !right.isPaymentTimeWholeSecond) return first === second;
  return Math.floor(first / 1_000) === Math.floor(second / 1_000);
}
