/** `open` may end in any way, `ended` may still become a success, `final` cannot change. */
type Stage = "open" | "ended" | "final";

interface StatusRow {
  readonly stage: Stage;
  /** If true, the fact must name its amount, and its event always has one. */
  readonly movesMoney: boolean;
  /** The event with this status (§6). None if the service reports the status only in a response (§3.1, §3.2). */
  readonly event?: string;
}

/**
 * All statuses (§3) and event names (§6). Lists, types, schemas and documents derive from this table. Rows are sorted
 * from low to high: a status moves down the table and never up (§3.3), so a success after a timeout is accepted.
 */
const paymentRows = {
  pending: { stage: "open", movesMoney: false },
  confirming: { stage: "open", movesMoney: false, event: "payment.order.confirming" },
  timeout: { stage: "ended", movesMoney: false, event: "payment.order.timeout" },
  failed: { stage: "ended", movesMoney: false, event: "payment.order.failed" },
  success: { stage: "final", movesMoney: true, event: "payment.order.success" },
} as const satisfies Record<string, StatusRow>;

interface RefundRow extends StatusRow {
  /** The payment's money goes back or went back, so its order should not be shipped. */
  readonly returnsMoney: boolean;
}

const refundRows = {
  refunding: { stage: "open", movesMoney: false, returnsMoney: true },
  refund_failed: {
    stage: "ended",
    movesMoney: false,
    returnsMoney: false,
    event: "payment.refund.failed",
  },
  refund_success: {
    stage: "final",
    movesMoney: true,
    returnsMoney: true,
    event: "payment.refund.success",
  },
} as const satisfies Record<string, RefundRow>;

type EventIn<Rows> = Extract<Rows[keyof Rows], { readonly event: string }>["event"];
type MoneyIn<Rows> = {
  [S in keyof Rows]: Rows[S] extends { readonly movesMoney: true } ? S : never;
}[keyof Rows];

export type PaymentStatus = keyof typeof paymentRows;
export type RefundStatus = keyof typeof refundRows;
/** The statuses of a payment that moves money. */
export type PaidStatus = MoneyIn<typeof paymentRows>;
type RefundedStatus = MoneyIn<typeof refundRows>;
export type OrderEventType = EventIn<typeof paymentRows>;
export type RefundEventType = EventIn<typeof refundRows>;
export type EventType = OrderEventType | RefundEventType;

export const paymentStatuses = namesOf(paymentRows);
export const refundStatuses = namesOf(refundRows);
export const orderEventTypes = Object.values(paymentRows).flatMap((row) =>
  "event" in row ? [row.event] : [],
);
export const refundEventTypes = Object.values(refundRows).flatMap((row) =>
  "event" in row ? [row.event] : [],
);
export const eventTypes = [...orderEventTypes, ...refundEventTypes];

const rows = new Map<string, StatusRow>(Object.entries({ ...paymentRows, ...refundRows }));

/** The row of a status. Undefined if a newer version added the status. */
export function statusRow(status: string): StatusRow | undefined {
  return rows.get(status);
}

/** Whether money was received. */
export function isPaid(status: PaymentStatus): status is PaidStatus {
  return paymentRows[status].movesMoney;
}

/** The same for a fact or a state. Narrows its type, so that its amount is known to be present. */
export function hasPaid<T extends { readonly status: PaymentStatus }>(
  stated: T,
): stated is Extract<T, { readonly status: PaidStatus }> {
  return isPaid(stated.status);
}

/** Whether money was returned. */
export function isRefunded(status: RefundStatus): status is RefundedStatus {
  return refundRows[status].movesMoney;
}

/** Whether money goes back or went back. */
export function returnsMoney(status: RefundStatus): boolean {
  return refundRows[status].returnsMoney;
}

export function stageOf(status: PaymentStatus): Stage {
  return paymentRows[status].stage;
}

export function orderEventTypeOf(status: PaymentStatus): OrderEventType | undefined {
  const row = paymentRows[status];
  return "event" in row ? row.event : undefined;
}

export function refundEventTypeOf(status: RefundStatus): RefundEventType | undefined {
  const row = refundRows[status];
  return "event" in row ? row.event : undefined;
}

export function isEventType(name: string | undefined): name is EventType {
  return eventTypes.some((type) => type === name);
}

/**
 * Compares a type with a subscriber's pattern: a type, `payment.order.*`, `payment.refund.*` or `*`. A stored type may
 * be of a newer version.
 */
export function matchesPattern(type: string, pattern: string): boolean {
  if (!pattern.endsWith("*")) return type === pattern;
  return type.startsWith(pattern.slice(0, -1));
}

function namesOf<Rows extends object>(rows: Rows): (keyof Rows & string)[] {
  return Object.keys(rows).filter((name): name is keyof Rows & string => name in rows);
}
