import type { PaymentFact } from "../facts/fact.ts";
import type { Attempt, Order } from "./order.ts";

/**
 * Which attempt to create the order a fact is about. `current`: the one that the order follows, the latest that
 * the service did not refuse. `other`: an earlier one, after a lost answer. `refused`: the service refused every
 * attempt, and reports on the order all the same.
 */
export type Standing = "current" | "other" | "refused";

export function standingOf(order: Order, fact: PaymentFact): Standing {
  const { attempts } = order;
  if (attempts.length === 0) return "current";
  const current = attempts.findLast(({ state }) => state !== "refused");
  if (current === undefined) return "refused";
  if (isAbout(fact, current)) return "current";
  const isAboutEarlier = attempts.some((attempt) => isAbout(fact, attempt));
  const alternatives = attempts.filter(({ state }) => state !== "refused").length;
  return isAboutEarlier || alternatives > 1 ? "other" : "current";
}

/** A query is about the payment that was asked for; a callback names the payment's time and no payment. */
function isAbout(fact: PaymentFact, { paymentId, paymentTimeMilliseconds }: Attempt): boolean {
  if (fact.paymentId !== undefined && paymentId !== undefined) return fact.paymentId === paymentId;
  return fact.createdAtMilliseconds === paymentTimeMilliseconds;
}
