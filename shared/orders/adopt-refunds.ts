import type { Order } from "./order.ts";

/**
 * The order with the refunds that were kept with a payment while nobody knew whose it was. Their facts are
 * published already; each still counts as applied, so that the version grows past every snapshot sent.
 */
export function adoptRefunds(order: Order, payment: Order): Order {
  const adopted = Object.keys(payment.facts).filter((factId) => order.facts[factId] === undefined);
  const facts = Object.fromEntries(adopted.map((id, index) => [id, order.version + index + 1]));
  return {
    ...order,
    version: order.version + adopted.length,
    refunds: { ...payment.refunds, ...order.refunds },
    facts: { ...order.facts, ...facts },
    flags: [...new Set([...order.flags, ...payment.flags])],
  };
}
