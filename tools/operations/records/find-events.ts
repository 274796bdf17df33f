import { groupOf } from "../../../shared/facts/subject.ts";
import { loadOrder } from "../../../shared/orders/aggregate-store.ts";
import { byAggregateIndex } from "../../../shared/records/time-bucket.ts";
import { queryAll } from "../../../shared/table/query-index.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { type EventReading, readEventsBetween, type TimeRange } from "./events-by-time.ts";
import { keyOf, loadEvent } from "./read-records.ts";

/** Whose events: those of an order or a payment. */
export interface Aggregates {
  readonly merchantId?: string | undefined;
  readonly orderNo?: string | undefined;
  readonly paymentId?: string | undefined;
  /** With an order, also the refund events of its payments. */
  readonly withRefunds: boolean;
}

/** Where to search for events: in an order or a payment, or, if neither is given, in everything that was recorded. */
export type Place = Aggregates & TimeRange;

/** Finds published events by their order or payment, or by their time alone. */
export async function findEvents(reading: EventReading, place: Place): Promise<void> {
  if (!isOfAggregates(place)) return await readEventsBetween(reading, place);
  for (const group of await groupsOf(reading.target, place)) {
    await readAggregate(reading, group, place);
  }
}

export function isOfAggregates({ orderNo, paymentId }: Aggregates): boolean {
  return orderNo !== undefined || paymentId !== undefined;
}

const readsAtOnce = 25;

/** DynamoDB takes no empty text as the beginning of a range. */
const beforeEveryTime = "0";

/** The index also has receipts of known facts and quarantined ones: only the record shows it. */
async function readAggregate(
  { target, stopped, found }: EventReading,
  group: string,
  { since = beforeEveryTime, until, events }: Place,
): Promise<void> {
  const items = await queryAll(target.records.database, {
    table: target.records.table,
    index: byAggregateIndex,
    partition: { group },
    range: { name: "recordedAt", from: since, until },
  });
  const readOne = async (item: (typeof items)[number]) => {
    stopped.throwIfAborted();
    const event = await loadEvent(target, keyOf(item));
    if (event === undefined || events?.includes(event.factId) === false) return;
    const { factId: _factId, event: _bytes, ...entry } = event;
    found(entry);
  };
  await fewAtOnce(items, readOne, readsAtOnce);
}

/** An order number or payment id that is given without a merchant may be one of any merchant of the stack. */
export async function groupsOf(
  target: Pick<Target, "stack" | "orders">,
  { merchantId: given, orderNo, paymentId, withRefunds }: Aggregates,
): Promise<readonly string[]> {
  const { stack, orders } = target;
  const asked = given === undefined ? stack.merchants.map(({ merchantId }) => merchantId) : [given];
  const groups = asked.map(async (merchantId) => {
    const ofPayment = paymentId && groupOf({ kind: "payment", merchantId, paymentId });
    if (orderNo === undefined) return ofPayment ? [ofPayment] : [];
    const order = await loadOrder(orders.database, orders.table, merchantId, orderNo);
    const ofRefunds = (withRefunds ? order.paymentIds : []).map((id) =>
      groupOf({ kind: "payment", merchantId, paymentId: id }),
    );
    const all = [groupOf({ kind: "order", merchantId, orderNo }), ...new Set(ofRefunds)];
    return ofPayment === undefined ? all : all.filter((group) => group === ofPayment);
  });
  return (await Promise.all(groups)).flat();
}
