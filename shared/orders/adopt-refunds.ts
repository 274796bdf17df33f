import { refundAmount } from "./apply-fact.ts";
import type { Order } from "./order.ts";
import { refundsExceedPayment } from "./refunded-total.ts";

/**
 * The order with the refunds that were kept with a payment while nobody knew whose it was. Their facts are
 * published already; each still counts as applied, so that the version grows past every snapshot sent. Now
 * their currency is known, and whether they are more than was paid.
 */
export function adoptRefunds(order: Order, payment: Order): Order {
  const adopted = Object.keys(payment.facts).filter((factId) => order.facts[factId] === undefined);
  const facts = Object.fromEntries(adopted.map((id, index) => [id, order.version + index + 1]));
  const told = Object.entries(payment.refunds).map(
    ([id, refund]) => [id, refund, refundAmount(order, refund.amount)] as const,
  );
  const refunds = Object.fromEntries(
    told.map(([id, refund, { amount }]) => [id, { ...refund, amount }]),
  );
  const next = { ...order, refunds: { ...refunds, ...order.refunds } };
  const differs = told.some(([, , { readable }]) => !readable) || refundsExceedPayment(next);
  const raised = differs ? (["mismatch"] as const) : [];
  return {
    ...next,
    version: order.version + adopted.length,
    facts: { ...order.facts, ...facts },
    flags: [...new Set([...order.flags, ...payment.flags, ...raised])],
  };
}
