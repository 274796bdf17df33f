import * as z from "zod/mini";
import type { Flag } from "../../../shared/facts/flags.ts";
import { readAggregateKey } from "../../../shared/facts/subject.ts";
import { byDayIndex, shardsOfDay, timeOfPlace } from "../../../shared/orders/day.ts";
import { type OrderView, statusOf } from "../../../shared/storefront/order-view.ts";
import { countItems } from "../../../shared/table/query-index.ts";
import { counted } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Work } from "../described/description.ts";
import { newestFirst } from "../newest-first.ts";
import type { Target } from "../ports/target.ts";
import { type ListedOrder, readOrders, toListedOrders } from "./listed-order.ts";

/** Everything that is given must match. Times are RFC 3339. */
export interface OrderQuery {
  readonly from: string;
  readonly until: string;
  /** A part of the order number; upper and lower case count as the same. */
  readonly text?: string | undefined;
  readonly merchant?: string | undefined;
  readonly status?: OrderView["status"] | undefined;
  readonly flag?: Flag | "any" | undefined;
  /** Where an earlier page ended. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface OrderPage {
  /** Newest first. */
  readonly orders: readonly ListedOrder[];
  /** How many orders were read to find them. */
  readonly looked: number;
  /** How many of them a newer version wrote in a format that this one cannot read. They are not listed. */
  readonly newer: number;
  /** Where to continue; absent if the whole range was read. */
  readonly next: string | undefined;
  /** Every order of the range since then was read. */
  readonly since: string;
}

/** What one page may cost: orders that are read whole, orders of which only the index is read, and days. */
const mostRead = 2_000;
const mostLooked = 20_000;
const mostDays = 14;

/** Of each shard, by one call. */
const keysAtOnce = 250;
const ordersAtOnce = 100;

/**
 * One page of the orders that Paycast first stored in a range of time. Number and merchant are matched by the keys of the
 * index, status and flag by the orders themselves. The page ends early at the limits above, or when it is stopped.
 */
export async function listOrders(
  target: Pick<Target, "orders">,
  query: OrderQuery,
  { stopped, tell }: Work,
): Promise<OrderPage> {
  const { limit, status, flag } = query;
  const isRead = status !== undefined || flag !== undefined;
  const most = isRead ? mostRead : mostLooked;
  const range = rangeOf(query);
  const found: FoundOrder[] = [];
  let looked = 0;
  let newer = 0;
  let next = range.from > query.from ? range.from : undefined;
  for await (const batch of batches(target, query, range, isRead ? ordersAtOnce : limit)) {
    const matches = await readMatches(target, batch.keys, query);
    found.push(...matches.found);
    newer += matches.newer;
    looked += batch.looked;
    if (batch.last === undefined) break;
    if (found.length >= limit || looked >= most || stopped.aborted) {
      next = batch.last;
      break;
    }
    tell(`Searched ${counted(looked, "order")}, back to ${timeOfPlace(batch.last)}.`);
  }
  const shown = found.slice(0, limit);
  const cut = found.length > limit ? shown.at(-1)?.place : undefined;
  next = cut ?? next;
  const since = next === undefined ? query.from : timeOfPlace(next);
  return { orders: shown.map(({ order }) => order), looked, newer, next, since };
}

/** How many orders the range has; undefined if there are more than a few calls can count. */
export async function countOrders(
  target: Pick<Target, "orders">,
  query: Pick<OrderQuery, "from" | "until">,
): Promise<number | undefined> {
  const range = rangeOf(query);
  if (range.from > query.from) return undefined;
  let total = 0;
  for (const shards of daysOf(target, range, keysAtOnce)) {
    const { database } = target.orders;
    const counts = await Promise.all(
      shards.map((shard) => countItems(database, shard, keysAtOnce)),
    );
    if (counts.some((count) => count >= keysAtOnce)) return undefined;
    total += counts.reduce((sum, count) => sum + count, 0);
  }
  return total;
}

/** Both ends are included. An end is a time or the place of an order. */
interface Range {
  readonly from: string;
  readonly until: string;
  readonly after?: string | undefined;
}

const dayMilliseconds = 86_400_000;

/** A page reads only the newest days of a long range. A place follows its time, and "~" follows each place. */
function rangeOf({ from, until, after }: Pick<OrderQuery, "from" | "until" | "after">): Range {
  const end = after ?? `${until}~`;
  const oldestDay = startOfDay(end) - (mostDays - 1) * dayMilliseconds;
  const oldest = toRfc3339(Math.max(0, oldestDay));
  return { from: from > oldest ? from : oldest, until: end, after };
}

function startOfDay(place: string): number {
  return Date.parse(`${place.slice(0, 10)}T00:00:00.000Z`);
}

/** The queries for the shards of each day, the newest day first. */
function* daysOf(target: Pick<Target, "orders">, { from, until }: Range, pageSize: number) {
  for (let day = startOfDay(until); day >= startOfDay(from); day -= dayMilliseconds) {
    yield shardsOfDay(toRfc3339(day)).map((dayShard) => ({
      table: target.orders.table,
      index: byDayIndex,
      partition: { dayShard },
      range: { name: "dayPlace", from, until },
      pageSize,
    }));
  }
}

const entrySchema = z.object({ aggregateKey: z.string(), dayPlace: z.string() });

/** A part of the range: the keys that match, and how many were read. */
interface Batch {
  readonly keys: readonly string[];
  readonly looked: number;
  /** The place of the last one; absent if the range ends here. */
  readonly last: string | undefined;
}

const longestBatch = 1_000;

async function* batches(
  target: Pick<Target, "orders">,
  query: OrderQuery,
  range: Range,
  size: number,
): AsyncGenerator<Batch, void> {
  let keys: string[] = [];
  let looked = 0;
  let last: string | undefined;
  // If no key matches, pages as small as the batch would need very many calls.
  const isSifted = query.text !== undefined || query.merchant !== undefined;
  const pageSize = isSifted ? keysAtOnce : Math.min(keysAtOnce, Math.max(size, 10));
  for (const shards of daysOf(target, range, pageSize)) {
    for await (const item of newestFirst(target.orders.database, shards)) {
      const { aggregateKey, dayPlace } = entrySchema.parse(item);
      if (dayPlace === range.after) continue;
      if (keys.length >= size || looked >= longestBatch) {
        yield { keys, looked, last };
        [keys, looked] = [[], 0];
      }
      looked += 1;
      last = dayPlace;
      if (hasKey(aggregateKey, query)) keys.push(aggregateKey);
    }
  }
  yield { keys, looked, last: undefined };
}

function hasKey(aggregateKey: string, { text = "", merchant }: OrderQuery): boolean {
  const subject = readAggregateKey(aggregateKey);
  if (subject?.kind !== "order") return false;
  if (merchant !== undefined && subject.merchantId !== merchant) return false;
  return subject.orderNo.toLowerCase().includes(text.toLowerCase());
}

interface FoundOrder {
  readonly order: ListedOrder;
  readonly place: string | undefined;
}

/** Payments have flags, too, so they are read before the flag is matched. */
async function readMatches(
  target: Pick<Target, "orders">,
  keys: readonly string[],
  { status, flag }: OrderQuery,
): Promise<{ readonly found: readonly FoundOrder[]; readonly newer: number }> {
  const { orders: read, newer } = await readOrders(target, keys);
  const orders = read.filter((order) => status === undefined || statusOf(order) === status);
  const listed = await toListedOrders(target, orders);
  const all = listed.map((order, index) => ({ order, place: orders[index]?.dayPlace }));
  const found = all.filter(({ order: { flags } }) =>
    flag === "any" ? flags.length > 0 : flag === undefined || flags.includes(flag),
  );
  return { found, newer };
}
