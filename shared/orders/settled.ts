import type { Order } from "./order.ts";

const dayMilliseconds = 24 * 60 * 60_000;

/**
 * Whether the service need not be asked: success is final, and a timeout or failure that has stood for a
 * day will hardly turn.
 */
export function isSettled(order: Order, nowMilliseconds: number): boolean {
  if (order.status === "success") return true;
  if (order.status !== "timeout" && order.status !== "failed") return false;
  const learnedAt = Date.parse(order.payment.learnedAt ?? "");
  return nowMilliseconds - learnedAt > dayMilliseconds;
}
