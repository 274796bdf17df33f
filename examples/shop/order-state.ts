import type { Purchase } from "./memory.ts";
import type { PaidOrder } from "./paycast-api.ts";

/** What Paycast said about an order, if it answered. */
export type Asked = PaidOrder | "unknown" | "no-answer";

/** What the customer is told about an order. Only Paycast's answer and the shop's own packing decide it. */
export type OrderState =
  | "not-started"
  | "unpaid"
  | "waiting-for-bank"
  | "paid"
  | "packed"
  | "failed"
  | "expired"
  | "not-asked";

export function stateOf(
  asked: Asked,
  orderNo: string,
  { packedFor, created }: Purchase,
): OrderState {
  if (packedFor !== undefined) return "packed";
  if (asked === "unknown") return "not-started";
  if (asked === "no-answer") return created.includes(orderNo) ? "not-asked" : "not-started";
  if (asked.status === "pending" && asked.checkoutUrl === undefined) return "not-started";
  return states[asked.status];
}

const states: Readonly<Record<PaidOrder["status"], OrderState>> = {
  pending: "unpaid",
  confirming: "waiting-for-bank",
  success: "paid",
  failed: "failed",
  timeout: "expired",
  // The payment service does not have the order, and its number is free.
  refused: "not-started",
};

/** True if the payment service may know more than this answer says. */
export function isStale(asked: Asked): boolean {
  return typeof asked === "object" && asked.stale;
}

/** True if the order has ended without money, for sure: only then may the purchase get another order number. */
export function mayTryAgain(asked: Asked): boolean {
  if (typeof asked === "string" || asked.stale) return false;
  return asked.status === "failed" || asked.status === "timeout";
}
