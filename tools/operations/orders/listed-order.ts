import { aggregateKeyOf } from "../../../shared/facts/subject.ts";
import { timeOfPlace } from "../../../shared/orders/day.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import {
  readIfOrder,
  readIfPayment,
  separateNewer,
} from "../../../shared/orders/stored-aggregate.ts";
import { type OrderView, viewOrder } from "../../../shared/storefront/order-view.ts";
import { getItems } from "../../../shared/table/items.ts";
import type { Target } from "../ports/target.ts";

/** An order in one line. */
export interface ListedOrder
  extends Pick<OrderView, "merchantId" | "status" | "outcomeUnknown" | "amount" | "flags"> {
  readonly orderNo: string;
  /** Since when Paycast knows it: it was created here, or its first callback arrived. */
  readonly since: string;
  /** The service's code and message, if it rejected the order. */
  readonly refusal: OrderView["service"];
  /** Absent if nothing was refunded. */
  readonly refundedAmount: OrderView["refundedAmount"];
  readonly paymentIds: readonly string[];
}

/**
 * The orders that an index names, in its order, by one call for each hundred, and how many a newer version wrote in its
 * own format. One that cannot be read is omitted.
 */
export async function readOrders(
  target: Pick<Target, "orders">,
  keys: readonly string[],
): Promise<{ readonly orders: readonly Order[]; readonly newer: number }> {
  const { known, newer } = separateNewer(await getAggregates(target, keys));
  const orders = known.flatMap((item) => readIfOrder(item) ?? []);
  const found = new Map(orders.map((order) => [order.aggregateKey, order]));
  return { orders: keys.flatMap((key) => found.get(key) ?? []), newer: newer.length };
}

async function getAggregates(target: Pick<Target, "orders">, keys: readonly string[]) {
  const { database, table } = target.orders;
  const query = { table, keys: keys.map((aggregateKey) => ({ aggregateKey })) };
  return await getItems(database, query);
}

/** The orders in one line each. All their payments are read together. */
export async function toListedOrders(
  target: Pick<Target, "orders">,
  orders: readonly Order[],
): Promise<ListedOrder[]> {
  const { database } = target.orders;
  const keys = orders.flatMap(paymentKeys);
  const items = await getAggregates(target, keys);
  const payments = separateNewer(items).known.flatMap((item) => readIfPayment(item) ?? []);
  const found = new Map(payments.map((payment) => [payment.aggregateKey, payment]));
  return orders.map((order) => {
    const own = paymentKeys(order).flatMap((key) => found.get(key) ?? []);
    return toListedOrder(order, own, database.now());
  });
}

function paymentKeys({ merchantId, paymentIds }: Order): string[] {
  return paymentIds.map((paymentId) => aggregateKeyOf({ kind: "payment", merchantId, paymentId }));
}

function toListedOrder(
  order: Order,
  payments: readonly Payment[],
  nowMilliseconds: number,
): ListedOrder {
  const view = viewOrder(order, payments, { stale: false, nowMilliseconds });
  const { merchantId, status, outcomeUnknown, amount, flags, refundedAmount } = view;
  return {
    merchantId,
    status,
    outcomeUnknown,
    amount,
    flags,
    orderNo: order.orderNo,
    since: timeOfPlace(order.dayPlace ?? ""),
    refusal: view.service,
    refundedAmount: refundedAmount?.minor === "0" ? undefined : refundedAmount,
    paymentIds: order.paymentIds,
  };
}
