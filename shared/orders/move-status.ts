import {
  type PaymentStatus,
  paymentStatuses,
  type RefundStatus,
  refundStatuses,
} from "../facts/event-types.ts";
import type { Order } from "./order.ts";

/**
 * The interface does not define which status may follow which (§3.3). A status only moves to the right in its list, so
 * the result does not depend on the order of arrival.
 */
export function isMoveUp(from: PaymentStatus, to: PaymentStatus): boolean {
  return paymentStatuses.indexOf(to) > paymentStatuses.indexOf(from);
}

export function isRefundMoveUp(from: RefundStatus, to: RefundStatus): boolean {
  return refundStatuses.indexOf(to) > refundStatuses.indexOf(from);
}

/** Returns the identical object if the status does not move. */
export function moveOrder(order: Order, status: PaymentStatus, payment: Order["payment"]): Order {
  return isMoveUp(order.status, status) ? { ...order, status, payment } : order;
}
