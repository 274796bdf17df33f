import { aggregateKeyOf } from "../../../shared/facts/subject.ts";
import { timeOfPlace } from "../../../shared/orders/day.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import { readIfOrder, readIfPayment } from "../../../shared/orders/stored-aggregate.ts";
import { type OrderView, viewOrder } from "../../../shared/storefront/order-view.ts";
import { getItems } from "../../../shared/table/items.ts";
import { databaseOf, type Target } from "../target/target.ts";

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

/** The orders that an index names, in its order, by one call for each hundred. One that cannot be read is omitted. */
export async function readOrders(target: Target, keys: readonly string[]): Promise<Order[]> {
  const items = await getAggregates(target, keys);
  const orders = items.flatMap((item) => readIfOrder(item) ?? []);
  const found = new Map(orders.map((order) => [order.aggregateKey, order]));
  return keys.flatMap((key) => found.get(key) ?? []);
}

async function getAggregates(target: Target, keys: readonly string[]) {
  const { orders: table } = target.tables;
  const query = { table, keys: keys.map((aggregateKey) => ({ aggregateKey })) };
  return await getItems(databaseOf(target), query);
}

/** The orders in one line each. All their payments are read together. */
export async function toListedOrders(
  target: Target,
  orders: readonly Order[],
): Promise<ListedOrder[]> {
  const database = databaseOf(target);
  const keys = orders.flatMap(paymentKeys);
  const items = await getAggregates(target, keys);
  const payments = items.flatMap((item) => readIfPayment(item) ?? []);
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
