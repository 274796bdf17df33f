import { aggregateKeyOf } from "../../shared/facts/subject.ts";
import { timeOfPlace } from "../../shared/orders/day.ts";
import type { Order } from "../../shared/orders/order.ts";
import type { Payment } from "../../shared/orders/payment.ts";
import { readIfOrder, readIfPayment } from "../../shared/orders/stored-aggregate.ts";
import { type OrderView, viewOrder } from "../../shared/storefront/order-view.ts";
import type { Database } from "../../shared/table/database.ts";
import { getItems, type Item } from "../../shared/table/items.ts";
import { type PartitionQuery, queryPartition } from "../../shared/table/query-index.ts";
import { databaseOf, type Target } from "../target/target.ts";

/** An order in one line. */
export interface ListedOrder
  extends Pick<OrderView, "merchantId" | "status" | "outcomeUnknown" | "amount" | "flags"> {
  readonly orderNo: string;
  /** Since when Paycast knows it: it was created here, or the first callback told of it. */
  readonly since: string;
  /** The service's words, if it refused the order. */
  readonly refusal: OrderView["service"];
  /** Absent if nothing was refunded. */
  readonly refundedAmount: OrderView["refundedAmount"];
  readonly paymentIds: readonly string[];
}

/** The orders that an index names, in its order, by one call for each hundred. One that cannot be read is left out. */
export async function readOrders(target: Target, keys: readonly string[]): Promise<Order[]> {
  const items = await getItems(databaseOf(target), target.tables.orders, "aggregateKey", keys);
  const orders = items.flatMap((item) => readIfOrder(item) ?? []);
  const found = new Map(orders.map((order) => [order.aggregateKey, order]));
  return keys.flatMap((key) => found.get(key) ?? []);
}

/** The orders in one line each. All their payments are read together. */
export async function toListedOrders(
  target: Target,
  orders: readonly Order[],
): Promise<ListedOrder[]> {
  const database = databaseOf(target);
  const keys = orders.flatMap(paymentKeys);
  const items = await getItems(database, target.tables.orders, "aggregateKey", keys);
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
    ...{ merchantId, status, outcomeUnknown, amount, flags },
    orderNo: order.orderNo,
    since: timeOfPlace(order.dayPlace ?? ""),
    refusal: view.service,
    refundedAmount: refundedAmount?.minor === "0" ? undefined : refundedAmount,
    paymentIds: order.paymentIds,
  };
}

type RangeQuery = PartitionQuery & { readonly range: NonNullable<PartitionQuery["range"]> };

/** A partition that is being read: its next item, and the rest. */
interface Source {
  head: Item;
  readonly place: () => string;
  readonly rest: AsyncGenerator<Item, void>;
}

/** The items of several partitions as one list, the last of the sort key first, as far as the caller goes on asking. */
export async function* newestFirst(
  database: Database,
  queries: readonly RangeQuery[],
  onEmpty: (query: RangeQuery) => void = () => undefined,
): AsyncGenerator<Item, void> {
  const started = await Promise.all(queries.map((query) => start(database, query)));
  for (const [index, query] of queries.entries()) if (started[index] === undefined) onEmpty(query);
  const sources = new Set(started.filter((source) => source !== undefined));
  while (sources.size > 0) {
    const newest = [...sources].reduce((one, other) => (other.place() > one.place() ? other : one));
    yield newest.head;
    const { value } = await newest.rest.next();
    if (value === undefined) sources.delete(newest);
    else newest.head = value;
  }
}

async function start(database: Database, query: RangeQuery): Promise<Source | undefined> {
  const rest = queryPartition(database, { ...query, newestFirst: true });
  const { value: head } = await rest.next();
  if (head === undefined) return undefined;
  const source: Source = { head, rest, place: () => String(source.head[query.range.name]) };
  return source;
}
