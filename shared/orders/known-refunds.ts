import { isPaid, isRefunded, type RefundStatus, returnsMoney } from "../facts/event-types.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import type { Order } from "./order.ts";
import { type Payment, refundsOf } from "./payment.ts";
import type { RefundReport } from "./schemas.ts";

/*
 * What is known about refunds of an order. Callbacks report them to its payments, and the order has the status that a
 * query returned, which names no refund (§2.9).
 */

/** Whether the payment is the order's. The service may return a payment for two orders; it stays with the first one. */
export function isPaymentOf(payment: Payment, { orderNo }: Order): boolean {
  return payment.order === undefined || payment.order.orderNo === orderNo;
}

/** The latest status of a refund, by callback or query. Undefined if no refund is known. */
export function latestRefundStatus(
  order: Order,
  payments: readonly Payment[],
): RefundStatus | undefined {
  return latestReport(order, payments)?.status;
}

/** A refund shows that the payment was paid, so an unpaid order with a refund is not current. */
export function hasRefundBeforePayment(order: Order, payments: readonly Payment[]): boolean {
  return !isPaid(order.status) && latestReport(order, payments) !== undefined;
}

/** Whether money of the order goes back or went back. */
export function isMoneyReturned(order: Order, payments: readonly Payment[]): boolean {
  const { refundReport: answered } = order;
  if (toldByCallback(order, payments)) return true;
  if (answered === undefined || !returnsMoney(answered.status)) return false;
  // A refund that was in progress may have failed since.
  return isRefunded(answered.status) || latestReport(order, payments) === answered;
}

/** The same by callbacks alone. */
export function toldByCallback(order: Order, payments: readonly Payment[]): boolean {
  return payments
    .filter((payment) => isPaymentOf(payment, order))
    .flatMap(refundsOf)
    .some(({ status }) => returnsMoney(status));
}

/** The order with a status that a query returned. The identical object if that is the latest status already, or older. */
export function withRefundAnswer(
  order: Order,
  payments: readonly Payment[],
  status: RefundStatus | undefined,
  learnedAtMilliseconds: number,
): Order {
  if (status === undefined) return order;
  const latest = latestReport(order, payments);
  const answered = { status, learnedAt: toRfc3339(learnedAtMilliseconds) };
  // A redrive processes old answers again.
  const isNews = status !== latest?.status && later(latest, answered) === answered;
  return isNews ? { ...order, refundReport: answered } : order;
}

function latestReport(order: Order, payments: readonly Payment[]): RefundReport | undefined {
  const told = payments.filter((payment) => isPaymentOf(payment, order));
  return [order, ...told].map(({ refundReport }) => refundReport).reduce(later, undefined);
}

/** The later one of two reports. */
export function later(
  first: RefundReport | undefined,
  second: RefundReport | undefined,
): RefundReport | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return second.learnedAt >= first.learnedAt ? second : first;
}
