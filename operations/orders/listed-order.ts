import type { Flag } from "../../shared/facts/flags.ts";
import { loadPaymentsOf } from "../../shared/orders/aggregate-store.ts";
import type { Order } from "../../shared/orders/order.ts";
import { type OrderView, viewOrder } from "../../shared/storefront/order-view.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";

/** An order in one line. */
export interface ListedOrder {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly status: OrderView["status"];
  /** The service's words, if it refused the order. */
  readonly refusal: OrderView["service"];
  readonly outcomeUnknown: boolean;
  readonly amount: OrderView["amount"];
  /** Absent if nothing was refunded. */
  readonly refundedAmount: OrderView["refundedAmount"];
  readonly flags: readonly Flag[];
  /** The last time that something happened to it or to a payment of it. */
  readonly changedAt: string;
  readonly paymentIds: readonly string[];
}

/** `eventAt` is when its newest known event was recorded. */
export async function toListedOrder(
  target: Target,
  order: Order,
  eventAt = "",
): Promise<ListedOrder> {
  const database = databaseOf(target);
  const payments = await loadPaymentsOf(database, target.tables.orders, order);
  const view = viewOrder(order, payments, { stale: false, nowMilliseconds: database.now() });
  return {
    merchantId: order.merchantId,
    orderNo: order.orderNo,
    status: view.status,
    refusal: view.service,
    outcomeUnknown: view.outcomeUnknown,
    amount: view.amount,
    refundedAmount: view.refundedAmount?.minor === "0" ? undefined : view.refundedAmount,
    flags: view.flags,
    changedAt: [eventAt, changeOf(order)].reduce((one, other) => (one > other ? one : other)),
    paymentIds: order.paymentIds,
  };
}

/** The last change that the order itself knows: an attempt to create it, or the fact that gave it its status. */
export function changeOf({ attempts, payment }: Order): string {
  const startedAt = toRfc3339(attempts.at(-1)?.startedAtMilliseconds ?? 0);
  const learnedAt = payment.learnedAt ?? "";
  return startedAt > learnedAt ? startedAt : learnedAt;
}
