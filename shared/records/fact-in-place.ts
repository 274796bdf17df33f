import type { PaymentFact, RefundFact } from "../facts/fact.ts";
import type { Order } from "../orders/order.ts";
import type { Payment } from "../orders/payment.ts";

/** The fact of a receipt, and the aggregate it is about as it was read. */
export type FactInPlace = OrderFactInPlace | RefundInPlace;

export interface OrderFactInPlace {
  readonly kind: "order";
  readonly fact: PaymentFact;
  readonly aggregate: Order;
  /** The order's payments, if the fact may end the order. */
  readonly payments: readonly Payment[];
}

export interface RefundInPlace {
  readonly kind: "payment";
  readonly fact: RefundFact;
  readonly aggregate: Payment;
  /** The order that the payment is linked to. */
  readonly order: Order | undefined;
}
