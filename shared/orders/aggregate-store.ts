import type { Notice, NoticeSettings } from "../attention/notice.ts";
import { putWithNotices } from "../attention/put-with-notices.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { aggregateKeyOf } from "../facts/subject.ts";
import type { Database } from "../table/database.ts";
import { getItem } from "../table/items.ts";
import { type ConditionalPut, putItems } from "../table/put-items.ts";
import { dayPlaceOf } from "./day.ts";
import { newOrder, type Order } from "./order.ts";
import { noticesOfChange } from "./order-notices.ts";
import { newPayment, type Payment } from "./payment.ts";
import {
  aggregateItem,
  readIfOrder,
  readIfPayment,
  readOrder,
  readPayment,
} from "./stored-aggregate.ts";

export type Aggregate = Order | Payment;

/** Reads an order, or returns a new one with its place in the index by day. */
export async function loadOrder(
  database: Database,
  table: string,
  merchantId: string,
  orderNo: string,
): Promise<Order> {
  const order = newOrder(merchantId, orderNo);
  const item = await getItem(database, table, { aggregateKey: order.aggregateKey });
  if (item !== undefined) return readOrder(item);
  return { ...order, ...dayPlaceOf(order, database.now()) };
}

/** Reads an order by its key. Undefined if there is no item, or if it cannot be read as an order. */
export async function loadOrderByKey(
  database: Database,
  table: string,
  aggregateKey: string,
): Promise<Order | undefined> {
  return readIfOrder(await getItem(database, table, { aggregateKey }));
}

export async function loadPayment(
  database: Database,
  table: string,
  merchantId: string,
  paymentId: string,
): Promise<Payment> {
  const aggregateKey = aggregateKeyOf({ kind: "payment", merchantId, paymentId });
  const item = await getItem(database, table, { aggregateKey });
  return item === undefined ? newPayment(merchantId, paymentId) : readPayment(item);
}

/** All payments of an order; usually one. */
export async function loadPaymentsOf(
  database: Database,
  table: string,
  { merchantId, paymentIds }: Order,
): Promise<readonly Payment[]> {
  return await Promise.all(paymentIds.map((id) => loadPayment(database, table, merchantId, id)));
}

/** The same without payments that cannot be read, for callers that can do without them. */
export async function loadReadablePaymentsOf(
  database: Database,
  table: string,
  { merchantId, paymentIds }: Order,
): Promise<readonly Payment[]> {
  const load = async (paymentId: string) => {
    const aggregateKey = aggregateKeyOf({ kind: "payment", merchantId, paymentId });
    return readIfPayment(await getItem(database, table, { aggregateKey }));
  };
  const payments = await Promise.all(paymentIds.map(load));
  return payments.flatMap((payment) => payment ?? []);
}

/** Whether the aggregate was ever stored. */
function isStored({ revision }: Aggregate): boolean {
  return revision > 0;
}

const isNew = "attribute_not_exists(aggregateKey)";
const isAsRead = "revision = :revision";

/** Writes an aggregate only if nobody has written it since it was read: its revision is the lock. */
export function putAggregate(table: string, aggregate: Aggregate): ConditionalPut {
  const { revision } = aggregate;
  const item = aggregateItem({ ...aggregate, revision: revision + 1 });
  if (!isStored(aggregate)) return { table, item, condition: isNew };
  return { table, item, condition: isAsRead, values: { revision } };
}

/** Writes all or none; false if another writer was first. */
export async function saveAggregates(
  database: Database,
  table: string,
  aggregates: readonly Aggregate[],
): Promise<boolean> {
  const puts = aggregates.map((aggregate) => putAggregate(table, aggregate));
  return (await putItems(database, puts)).kind === "written";
}

/** The two tables of the stack. Notices are in the table of callback records. */
export interface Tables {
  readonly callbacks: string;
  readonly orders: string;
}

/** The same with notices. A notice that exists stays as it is and does not stop the aggregates. */
export async function saveWithNotices(
  database: Database,
  tables: Tables,
  aggregates: readonly Aggregate[],
  notices: readonly Notice[],
): Promise<boolean> {
  const puts = aggregates.map((aggregate) => putAggregate(tables.orders, aggregate));
  const result = await putWithNotices(database, tables.callbacks, puts, notices);
  return result.kind === "written";
}

/** Returns the order as the next reader finds it, or undefined if another writer was first. */
export async function saveOrder(
  database: Database,
  table: string,
  order: Order,
): Promise<Order | undefined> {
  const isSaved = await saveAggregates(database, table, [order]);
  return isSaved ? readOrder(aggregateItem({ ...order, revision: order.revision + 1 })) : undefined;
}

/** The same, with the notices that open or close with the change from `stored` to `order`. */
export async function replaceOrder(
  database: Database,
  tables: Tables,
  order: Order,
  stored: Order,
  settings: NoticeSettings,
): Promise<Order | undefined> {
  const notices = noticesOfChange(stored, order, settings);
  const isSaved = await saveWithNotices(database, tables, [order], notices);
  return isSaved ? { ...order, revision: order.revision + 1 } : undefined;
}

const mostTries = 12;

/** Repeats `tryOnce` until it returns a value. Each attempt must read again what another writer may have changed. */
export async function retryOnContention<T>(
  database: Database,
  tryOnce: () => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const done = await tryOnce();
    if (done !== undefined) return done;
    await database.pause(10 * 2 ** Math.min(tries, 5) * database.random());
  }
  throw new PaycastError("aggregate-contended", "Other writers change the same item too often.", {
    retryable: true,
  });
}
