import {
  type PaymentStatus,
  paymentStatuses,
  type RefundStatus,
  refundStatuses,
} from "../facts/event-types.ts";
import type { Order } from "./order.ts";

/**
 * The interface shows no moves between statuses (§3.3). A status only moves up its line, so that every order of
 * arrival ends the same: pending, confirming, timeout, failed, success; refunding, refund_failed,
 * refund_success.
 */
export function isMoveUp(from: PaymentStatus, to: PaymentStatus): boolean {
  return paymentStatuses.indexOf(to) > paymentStatuses.indexOf(from);
}

export function isRefundMoveUp(from: RefundStatus, to: RefundStatus): boolean {
  return refundStatuses.indexOf(to) > refundStatuses.indexOf(from);
}

/** The very same order where the status does not move. */
export function moveOrder(order: Order, status: PaymentStatus, payment: Order["payment"]): Order {
  return isMoveUp(order.status, status) ? { ...order, status, payment } : order;
}
