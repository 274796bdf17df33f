import type { PaymentFact, RefundFact } from "../../../shared/orders/fact.ts";
import { newOrder, type Order, orderKeyOf } from "../../../shared/orders/order.ts";

export const merchantId = "208800000000000001";
const learned = {
  merchantId,
  origin: "callback",
  learnedAtMilliseconds: 1_794_705_765_000,
} as const;

export function paymentFact(overrides: Partial<PaymentFact> = {}): PaymentFact {
  return {
    kind: "payment",
    ...learned,
    orderNo: "A",
    status: "success",
    transactionId: "T1",
    amount: { value: "12.50", minor: "1250", currency: "EUR" },
    completedAtMilliseconds: 1_794_705_764_000,
    ...overrides,
  };
}

export function refundFact(overrides: Partial<RefundFact> = {}): RefundFact {
  return {
    kind: "refund",
    ...learned,
    refundId: "R1",
    paymentId: "P1",
    status: "refund_success",
    transactionId: "T2",
    amount: { value: "2.5" },
    ...overrides,
  };
}

export function emptyOrder(overrides: Partial<Order> = {}): Order {
  return { ...newOrder(orderKeyOf(merchantId, "A"), merchantId, "A"), ...overrides };
}

export const expected = { amount: { value: "12.50", minor: "1250", currency: "EUR" } };
