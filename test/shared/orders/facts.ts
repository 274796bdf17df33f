import type { PaymentFact, RefundFact, SuccessFact } from "../../../shared/facts/fact.ts";
import { dueAfterPayment } from "../../../shared/orders/due.ts";
import { type Attempt, type Creation, newOrder, type Order } from "../../../shared/orders/order.ts";
import { newPayment, type Payment } from "../../../shared/orders/payment.ts";

export const merchantId = "208800000000000001";
const learned = {
  merchantId,
  origin: "callback",
  learnedAtMilliseconds: 1_794_705_765_000,
  noted: [],
} as const;

export const expected = { value: "12.50", minor: "1250", currency: "EUR" };
export const other = { value: "1.00", minor: "100", currency: "EUR" };

export function successFact(overrides: Partial<SuccessFact> = {}): SuccessFact {
  return {
    kind: "payment",
    type: "payment.order.success",
    ...learned,
    orderNo: "A",
    status: "success",
    transactionId: "T1",
    amount: expected,
    completedAtMilliseconds: 1_794_705_764_000,
    ...overrides,
  };
}

type EndStatus = "confirming" | "timeout" | "failed";

/** A fact that moves no money. */
export function statusFact(status: EndStatus, overrides: Partial<PaymentFact> = {}): PaymentFact {
  const { amount: _amount, ...fact } = successFact();
  return { ...fact, ...overrides, type: `payment.order.${status}`, status } as PaymentFact;
}

export function refundFact(overrides: Partial<RefundFact> = {}): RefundFact {
  return {
    kind: "refund",
    type: "payment.refund.success",
    ...learned,
    refundId: "R1",
    paymentId: "P1",
    status: "refund_success",
    transactionId: "T2",
    amount: { value: "2.5" },
    ...overrides,
  };
}

export function anOrder(overrides: Partial<Order> = {}): Order {
  return { ...newOrder(merchantId, "A"), ...overrides };
}

/** The order after create-order has stored its payment, whose attempt the order has. */
export function asCreated(order: Order): Order {
  return dueAfterPayment({ ...order, state: { kind: "sending" } }, "payment-open");
}

export function aPayment(overrides: Partial<Payment> = {}): Payment {
  return { ...newPayment(merchantId, "P1"), ...overrides };
}

/** A payment that create-order has linked to order A. */
export function linkedPayment(overrides: Partial<Payment> = {}): Payment {
  return aPayment({ order: { orderNo: "A", expected }, ...overrides });
}

export function anAttempt(overrides: Partial<Attempt> = {}): Attempt {
  return {
    attemptId: "attempt-1",
    state: "created",
    startedAtMilliseconds: 1_794_705_000_000,
    paymentTimeMilliseconds: 1_794_705_000_000,
    ...overrides,
  };
}

/** How create-order made an order that is expected to end then. Nobody holds its lease any more. */
export function aCreation(expiresAtMilliseconds: number, overrides: Partial<Creation> = {}) {
  return {
    content: { channel: "hash" },
    channel: "WEB",
    callbackUrl: "https://api.example/callbacks",
    expiresAtMilliseconds,
    ...overrides,
  };
}
