import {
  type PaymentStatus,
  paymentStatuses,
  type RefundStatus,
  refundStatuses,
} from "../facts/event-types.ts";

/**
 * The interface shows no moves between statuses (§3.3). A status only moves up its line, so that every order of
 * arrival ends the same: pending, confirming, timeout, failed, success; refunding, refund_failed,
 * refund_success.
 */
export interface Move<S> {
  readonly status: S;
  readonly moved: boolean;
  /** Money came in after the order was given up. */
  readonly late: boolean;
}

export function movePayment(from: PaymentStatus, to: PaymentStatus): Move<PaymentStatus> {
  const moved = paymentStatuses.indexOf(to) > paymentStatuses.indexOf(from);
  const late = moved && to === "success" && (from === "timeout" || from === "failed");
  return { status: moved ? to : from, moved, late };
}

export function moveRefund(from: RefundStatus, to: RefundStatus): Move<RefundStatus> {
  const moved = refundStatuses.indexOf(to) > refundStatuses.indexOf(from);
  return { status: moved ? to : from, moved, late: false };
}
