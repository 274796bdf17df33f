import type { PaymentFact, RefundFact } from "../facts/fact.ts";
import type { Order } from "../orders/order.ts";
import type { Payment } from "../orders/payment.ts";

/** The fact of a receipt, with its aggregate and what it is compared with, as they were read. */
export type FactContext = OrderFactContext | RefundContext;

export interface OrderFactContext {
  readonly kind: "order";
  readonly fact: PaymentFact;
  readonly aggregate: Order;
  /** The order's payments. Read only if their refunds matter (load-context.ts). */
  readonly payments: readonly Payment[];
}

interface RefundContext {
  readonly kind: "payment";
  readonly fact: RefundFact;
  readonly aggregate: Payment;
  /** The order that the payment is linked to. */
  readonly order: Order | undefined;
}
