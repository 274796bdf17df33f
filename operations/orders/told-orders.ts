import type { Subject } from "../../shared/facts/subject.ts";
import { loadOrder, loadPayment } from "../../shared/orders/aggregate-store.ts";
import type { Order } from "../../shared/orders/order.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { readByKeys } from "../timeline/read-records.ts";
import { contentOfRecord } from "../timeline/record-content.ts";
import { type ListedOrder, toListedOrder } from "./listed-order.ts";
import { type EventPlace, type EventWalk, endOfWalk, newestEvents } from "./newest-events.ts";

export interface ToldSearch {
  readonly walk: EventWalk;
  readonly count: number;
  readonly isWanted: (order: ListedOrder) => boolean;
  /** Of an order alone, before its payments are read. */
  readonly hasStatus: (order: Order) => boolean;
  /** What each group is about. It never changes. */
  readonly subjects: Map<string, Subject | undefined>;
}

export interface ToldOrders {
  readonly orders: readonly ListedOrder[];
  /** Every event since then was looked at. */
  readonly since: string;
}

/** With a filter that few orders pass, this is what one page may cost: index entries, and orders to read. */
const mostEntries = 2_000;
const mostOrders = 300;
const mostRemembered = 20_000;
const batchSize = 16;

/** The orders of the newest events. An order with several events is found once, by its newest. */
export async function findToldOrders(target: Target, search: ToldSearch): Promise<ToldOrders> {
  const found = new Map<string, ListedOrder>();
  const seen = new Map<string, EventPlace>();
  let batch: EventPlace[] = [];
  let last: EventPlace | undefined;
  let entries = 0;
  const takeBatch = async () => {
    for (const order of await listAll(target, batch, search)) {
      const key = JSON.stringify([order.merchantId, order.orderNo]);
      if (!found.has(key) && search.isWanted(order)) found.set(key, order);
    }
    batch = [];
  };
  for await (const place of newestEvents(search.walk)) {
    // Only between two times: the next page begins before the last one, and must miss nothing.
    if (batch.length >= batchSize && place.recordedAt !== last?.recordedAt) {
      await takeBatch();
      const isEnough = found.size >= search.count || seen.size >= mostOrders;
      if (isEnough || entries >= mostEntries) {
        return { orders: [...found.values()], since: last?.recordedAt ?? place.recordedAt };
      }
    }
    entries += 1;
    last = place;
    if (seen.has(place.group)) continue;
    seen.set(place.group, place);
    batch.push(place);
  }
  await takeBatch();
  return { orders: [...found.values()], since: endOfWalk(search.walk) };
}

async function listAll(
  target: Target,
  places: readonly EventPlace[],
  { subjects, walk, hasStatus }: ToldSearch,
): Promise<ListedOrder[]> {
  await learnSubjects(target, places, subjects);
  const listed = await fewAtOnce(places, async ({ group, recordedAt }) => {
    const order = await orderOf(target, subjects.get(group));
    if (order === undefined || !hasStatus(order)) return [];
    const one = await toListedOrder(target, order, recordedAt);
    // It has changed since, so a newer page has it.
    return Date.parse(one.changedAt) < walk.beforeMilliseconds ? [one] : [];
  });
  return listed.flat();
}

/** A group is a hash, so a record must tell what it stands for. */
async function learnSubjects(
  target: Target,
  places: readonly EventPlace[],
  subjects: Map<string, Subject | undefined>,
): Promise<void> {
  if (subjects.size > mostRemembered) subjects.clear();
  const unknown = places.filter(({ group }) => !subjects.has(group));
  for (const record of await readByKeys(target, unknown)) {
    subjects.set(record.group, contentOfRecord(record).subject);
  }
}

/** A refund leads to the order that its payment is linked to; if there is none, no order has it. */
export async function orderOf(
  target: Target,
  subject: Subject | undefined,
): Promise<Order | undefined> {
  const database = databaseOf(target);
  const { orders: table } = target.tables;
  if (subject === undefined) return undefined;
  const { merchantId } = subject;
  const orderNo =
    subject.kind === "order"
      ? subject.orderNo
      : (await loadPayment(database, table, merchantId, subject.paymentId)).order?.orderNo;
  if (orderNo === undefined) return undefined;
  const order = await loadOrder(database, table, merchantId, orderNo);
  return order.revision > 0 ? order : undefined;
}
