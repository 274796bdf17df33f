import type { PaycastEvent } from "../../../../shared/events/event.ts";
import { makeOrderEvent, makeRefundEvent } from "../../../../shared/events/make-event.ts";
import type { EventType } from "../../../../shared/facts/event-types.ts";
import type { PaymentFact, RefundFact } from "../../../../shared/facts/fact.ts";
import type { AppliedFact } from "../../../../shared/orders/applied-fact.ts";
import { applyPaymentFact } from "../../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../../shared/orders/apply-refund-fact.ts";
import { newOrder, type Order } from "../../../../shared/orders/order.ts";
import { newPayment, type Payment } from "../../../../shared/orders/payment.ts";

const merchantId = "DemoMerchant";
const expected = { value: "12.30", minor: "1230", currency: "USD" };
const orderedAt = Date.UTC(2026, 10, 15, 1, 20);
const minute = 60_000;

/** An event of each type, created by the functions that create real ones. */
export function eventExamples(): Readonly<Record<EventType, PaycastEvent>> {
  return { ...paidOrder("ORDER-1001"), ...unpaidOrders(), ...refunds("ORDER-1001", "P-1001") };
}

function paidOrder(orderNo: string) {
  const confirming = applied(createdOrder(orderNo, "P-1001"), {
    ...payment(orderNo, 2),
    type: "payment.order.confirming",
    status: "confirming",
  });
  const success = applied(confirming.aggregate, {
    ...payment(orderNo, 3),
    completedAtMilliseconds: orderedAt + 3 * minute,
    transactionId: "T-77",
    type: "payment.order.success",
    status: "success",
    amount: expected,
  });
  return {
    "payment.order.confirming": confirming.event,
    "payment.order.success": success.event,
  };
}

function unpaidOrders() {
  const timeout = applied(createdOrder("ORDER-1002", "P-1002"), {
    ...payment("ORDER-1002", 30),
    origin: "query",
    paymentId: "P-1002",
    reason: "order timeout",
    type: "payment.order.timeout",
    status: "timeout",
  });
  const failed = applied(createdOrder("ORDER-1003", "P-1003"), {
    ...payment("ORDER-1003", 4),
    transactionId: "T-78",
    reason: "balance too low",
    type: "payment.order.failed",
    status: "failed",
  });
  return { "payment.order.timeout": timeout.event, "payment.order.failed": failed.event };
}

function refunds(orderNo: string, paymentId: string) {
  const linked = { ...newPayment(merchantId, paymentId), order: { orderNo, expected } };
  const failed = refunded(linked, {
    ...refund(paymentId, "R-5", 60),
    type: "payment.refund.failed",
    status: "refund_failed",
    reason: "wallet is closed",
  });
  const success = refunded(failed.aggregate, {
    ...refund(paymentId, "R-6", 90),
    type: "payment.refund.success",
    status: "refund_success",
    refundNo: "RMA-881",
  });
  return { "payment.refund.success": success.event, "payment.refund.failed": failed.event };
}

function createdOrder(orderNo: string, paymentId: string): Order {
  return {
    ...newOrder(merchantId, orderNo),
    expected,
    paymentIds: [paymentId],
    attempts: [created(paymentId)],
  };
}

function created(paymentId: string): Order["attempts"][number] {
  const times = { startedAtMilliseconds: orderedAt, paymentTimeMilliseconds: orderedAt };
  return { attemptId: paymentId, state: "created", ...times, paymentId };
}

function learned(minutes: number) {
  const learnedAtMilliseconds = orderedAt + minutes * minute + 400;
  return { merchantId, origin: "callback", learnedAtMilliseconds, noted: [] } as const;
}

function payment(orderNo: string, minutes: number) {
  const createdAtMilliseconds = orderedAt;
  return {
    kind: "payment",
    orderNo,
    createdAtMilliseconds,
    amount: expected,
    ...learned(minutes),
  } as const;
}

function refund(paymentId: string, refundId: string, minutes: number) {
  return {
    kind: "refund",
    paymentId,
    refundId,
    amount: { value: "4.1" },
    transactionId: `T-${refundId}`,
    createdAtMilliseconds: orderedAt + (minutes - 1) * minute,
    completedAtMilliseconds: orderedAt + minutes * minute,
    ...learned(minutes),
  } as const;
}

function applied(order: Order, fact: PaymentFact) {
  const result: AppliedFact<Order> = applyPaymentFact(order, fact);
  return { event: makeOrderEvent(fact, result, provenanceOf(fact)), aggregate: result.aggregate };
}

function refunded(before: Payment, fact: RefundFact) {
  const result: AppliedFact<Payment> = applyRefundFact(before, fact);
  return { event: makeRefundEvent(fact, result, provenanceOf(fact)), aggregate: result.aggregate };
}

function provenanceOf({ origin, learnedAtMilliseconds }: PaymentFact | RefundFact) {
  return {
    source: "urn:paycast:eu-west-1:123456789012:Paycast",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    callbackId: origin === "callback" ? callbackIdOf(learnedAtMilliseconds) : undefined,
    reportedAtMilliseconds: learnedAtMilliseconds - 400,
  };
}

/** Each callback has its own. */
function callbackIdOf(learnedAtMilliseconds: number): string {
  const minutes = Math.floor((learnedAtMilliseconds - orderedAt) / minute);
  return `7f3c2a90-5b1e-4d7a-9c46-0e8d1f2b3a${String(minutes).padStart(2, "0")}`;
}
