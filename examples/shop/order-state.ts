import type { Purchase } from "./memory.ts";
import type { PaidOrder } from "./paycast-api.ts";

/** What Paycast said about an order. */
export type Asked =
  | { readonly answer: "order"; readonly order: PaidOrder }
  | { readonly answer: "unknown" }
  | { readonly answer: "none" };

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
  switch (asked.answer) {
    case "none":
      return created.includes(orderNo) ? "not-asked" : "not-started";
    case "unknown":
      return "not-started";
    case "order":
      return stateOfStatus(asked.order);
  }
}

function stateOfStatus({ status, checkoutUrl }: PaidOrder): OrderState {
  switch (status) {
    case "success":
      return "paid";
    case "confirming":
      return "waiting-for-bank";
    case "failed":
      return "failed";
    case "timeout":
      return "expired";
    // The payment service does not have the order, and its number is free.
    case "refused":
      return "not-started";
    case "pending":
      return checkoutUrl === undefined ? "not-started" : "unpaid";
  }
}

/** True if the payment service may know more than this answer says. */
export function isStale(asked: Asked): boolean {
  return asked.answer === "order" && asked.order.stale;
}

/** True if the order has ended without money, for sure: only then may the purchase get another order number. */
export function mayTryAgain(asked: Asked): boolean {
  if (asked.answer !== "order" || isStale(asked)) return false;
  return asked.order.status === "failed" || asked.order.status === "timeout";
}
