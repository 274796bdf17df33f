import type { PaymentFact } from "../facts/fact.ts";
import type { Attempt, Order } from "./order.ts";

/**
 * Which attempt to create the order a fact is about. `current`: the one that the order follows, the latest that the
 * service did not refuse. `other`: an earlier one, whose answer was lost. `refused`: the service refused every attempt
 * but reports on the order.
 */
export type Standing = "current" | "other" | "refused";

export function standingOf(order: Order, fact: PaymentFact): Standing {
  const { attempts } = order;
  if (attempts.length === 0) return "current";
  const current = currentAttempt(order);
  if (current === undefined) return "refused";
  const about = attemptOf(order, traceOf(fact));
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
  /** As a callback repeats it. In a query's answer the field of that name may be another time (§2.9). */
  readonly paymentTimeMilliseconds?: number | undefined;
}

export function traceOf({ origin, paymentId, createdAtMilliseconds }: PaymentFact): AttemptTrace {
  if (origin === "query") return { paymentId };
  return { paymentId, paymentTimeMilliseconds: createdAtMilliseconds };
}

/**
 * The attempt that a trace leads to. Attempts may have the same time, because a caller may send it: then the latest
 * that the service did not refuse.
 */
export function attemptOf({ attempts }: Order, trace: AttemptTrace): Attempt | undefined {
  const { paymentId, paymentTimeMilliseconds } = trace;
  const matches = attempts.filter(
    (attempt) =>
      (paymentId !== undefined && attempt.paymentId === paymentId) ||
      (paymentTimeMilliseconds !== undefined &&
        attempt.paymentTimeMilliseconds === paymentTimeMilliseconds),
  );
  return matches.findLast(({ state }) => state !== "refused") ?? matches.at(-1);
}

/** Whether two traces certainly belong to different attempts. */
export function attemptsDiffer(order: Order, one: AttemptTrace, other: AttemptTrace): boolean {
  if (order.attempts.length > 0) {
    const [first, second] = [attemptOf(order, one), attemptOf(order, other)];
    return first !== undefined && second !== undefined && first !== second;
  }
  return (
    areDifferent(one.paymentId, other.paymentId) ||
    areDifferent(one.paymentTimeMilliseconds, other.paymentTimeMilliseconds)
  );
}

function areDifferent<T>(one: T | undefined, other: T | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
