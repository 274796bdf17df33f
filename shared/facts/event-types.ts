/** From low to high: a status moves up this list and never down (§3.3), so a success after a timeout is accepted. */
export const paymentStatuses = ["pending", "confirming", "timeout", "failed", "success"] as const;
export const refundStatuses = ["refunding", "refund_failed", "refund_success"] as const;

export type PaymentStatus = (typeof paymentStatuses)[number];
export type RefundStatus = (typeof refundStatuses)[number];

/** The interface's event names (§6); each states one status. */
export const orderEventTypes = [
  "payment.order.confirming",
  "payment.order.timeout",
  "payment.order.success",
  "payment.order.failed",
] as const;

export const refundEventTypes = ["payment.refund.success", "payment.refund.failed"] as const;

export const eventTypes = [...orderEventTypes, ...refundEventTypes] as const;

export type OrderEventType = (typeof orderEventTypes)[number];
export type RefundEventType = (typeof refundEventTypes)[number];
export type EventType = OrderEventType | RefundEventType;

const orderTypes: Readonly<Record<PaymentStatus, OrderEventType | undefined>> = {
  pending: undefined,
  confirming: "payment.order.confirming",
  timeout: "payment.order.timeout",
  success: "payment.order.success",
  failed: "payment.order.failed",
};

const refundTypes: Readonly<Record<RefundStatus, RefundEventType | undefined>> = {
  refunding: undefined,
  refund_success: "payment.refund.success",
  refund_failed: "payment.refund.failed",
};

/** None for `pending`: create returns it itself (§3.1). */
export function orderEventTypeOf(status: PaymentStatus): OrderEventType | undefined {
  return orderTypes[status];
}

/** None for `refunding`: the refund request returns it itself (§3.2). */
export function refundEventTypeOf(status: RefundStatus): RefundEventType | undefined {
  return refundTypes[status];
}

export function isEventType(name: string | undefined): name is EventType {
  return eventTypes.some((type) => type === name);
}

/** Patterns of a subscriber: a type itself, `payment.order.*`, `payment.refund.*`, or `*`. A stored type may be newer. */
export function matchesPattern(type: string, pattern: string): boolean {
  if (!pattern.endsWith("*")) return type === pattern;
  return type.startsWith(pattern.slice(0, -1));
}
