/** The interface's event names (§6) and the status each one states (§3). */
export const paymentStatuses = ["pending", "confirming", "timeout", "failed", "success"] as const;
export const refundStatuses = ["refunding", "refund_failed", "refund_success"] as const;

export type PaymentStatus = (typeof paymentStatuses)[number];
export type RefundStatus = (typeof refundStatuses)[number];

export const eventTypes = [
  "payment.order.confirming",
  "payment.order.timeout",
  "payment.order.success",
  "payment.order.failed",
  "payment.refund.success",
  "payment.refund.failed",
] as const;

export type EventType = (typeof eventTypes)[number];

const typeByStatus: Partial<Record<PaymentStatus | RefundStatus, EventType>> = {
  confirming: "payment.order.confirming",
  timeout: "payment.order.timeout",
  success: "payment.order.success",
  failed: "payment.order.failed",
  refund_success: "payment.refund.success",
  refund_failed: "payment.refund.failed",
};

/** Nothing is told of `pending` and `refunding`: create and refund return those themselves (§3). */
export function eventTypeOf(status: PaymentStatus | RefundStatus): EventType | undefined {
  return typeByStatus[status];
}

export function isEventType(name: string): name is EventType {
  const names: readonly string[] = eventTypes;
  return names.includes(name);
}

/** Patterns of a subscriber: a type itself, `payment.order.*`, `payment.*`, or `*`. */
export function matchesPattern(type: EventType, pattern: string): boolean {
  if (!pattern.endsWith("*")) return type === pattern;
  return type.startsWith(pattern.slice(0, -1));
}
