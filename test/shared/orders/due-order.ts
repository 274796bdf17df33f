import type { PaymentFact } from "../../../shared/facts/fact.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { dueAfterFact } from "../../../shared/orders/due.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { aCreation, anAttempt, anOrder, asCreated, expected } from "./facts.ts";

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
export const now = 1_794_705_765_000;
export const learnedAt = new Date(now).toISOString();

export const creation = aCreation(now, { paymentId: "P1" });

/** An order that the service has as P1 and that expired just now. */
export function dueOrder(overrides: Partial<Order> = {}): Order {
  const attempts = [anAttempt({ paymentId: "P1" })];
  const order = anOrder({ creation, attempts, paymentIds: ["P1"], expected, ...overrides });
  return asCreated(order);
}

export function afterFact(order: Order, fact: PaymentFact, at = now): Order {
  const applied = applyPaymentFact(order, fact);
  return dueAfterFact(order, applied.aggregate, applied.flags, at);
}

export const dueOf = ({ dueAtMilliseconds }: Order) => dueAtMilliseconds;
