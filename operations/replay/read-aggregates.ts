import { groupOf } from "../../shared/facts/subject.ts";
import { loadOrder } from "../../shared/orders/aggregate-store.ts";
import { byAggregateIndex } from "../../shared/records/time-bucket.ts";
import type { Database } from "../../shared/table/database.ts";
import { getItem } from "../../shared/table/items.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { inParallel } from "./in-parallel.ts";
import type { Reading } from "./read-range.ts";
import type { Selection } from "./selection.ts";
import { readStoredEvent } from "./stored-event.ts";

const readsAtOnce = 25;

/** DynamoDB takes no empty text as the beginning of a range. */
const beforeEveryTime = "0";

/** Finds the events of an order, with the refunds of its payments, or of a payment. */
export async function readAggregates(
  reading: Reading,
  target: Target,
  selection: Selection,
): Promise<void> {
  for (const group of await groupsOf(reading.database, target, selection)) {
    await readAggregate(reading, group, selection);
  }
}

/** The index also has receipts of known facts and quarantined ones: only the record tells. */
async function readAggregate(
  { database, table, stopped, found }: Reading,
  group: string,
  { since = beforeEveryTime, until, events }: Selection,
): Promise<void> {
  const range = { name: "recordedAt", from: since, until };
  const query = { table, index: byAggregateIndex, partition: { group }, range };
  const keys: { callbackKey: string; receipt: string }[] = [];
  for await (const { callbackKey, receipt } of queryPartition(database, query)) {
    keys.push({ callbackKey: String(callbackKey), receipt: String(receipt) });
  }
  await inParallel(keys, readsAtOnce, async (key) => {
    stopped.throwIfAborted();
    const event = readStoredEvent(await getItem(database, table, key));
    if (event === undefined || events?.includes(event.factId) === false) return;
    const { factId: _factId, event: _bytes, ...entry } = event;
    found(entry);
  });
}

type Aggregates = Pick<Selection, "merchantId" | "orderNo" | "paymentId" | "withRefunds">;

/** An order number or payment id that is given without a merchant may be one of any merchant of the stack. */
export async function groupsOf(
  database: Database,
  { merchants, tables }: Target,
  { merchantId: given, orderNo, paymentId, withRefunds }: Aggregates,
): Promise<readonly string[]> {
  const asked = given === undefined ? merchants.map(({ merchantId }) => merchantId) : [given];
  const groups = asked.map(async (merchantId) => {
    const ofPayment = paymentId && groupOf({ kind: "payment", merchantId, paymentId });
    if (orderNo === undefined) return ofPayment ? [ofPayment] : [];
    const order = await loadOrder(database, tables.orders, merchantId, orderNo);
    const ofRefunds = (withRefunds ? order.paymentIds : []).map((id) =>
      groupOf({ kind: "payment", merchantId, paymentId: id }),
    );
    const all = [groupOf({ kind: "order", merchantId, orderNo }), ...new Set(ofRefunds)];
    return ofPayment === undefined ? all : all.filter((group) => group === ofPayment);
  });
  return (await Promise.all(groups)).flat();
}
