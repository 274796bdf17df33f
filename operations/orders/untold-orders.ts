import { loadOrderByKey } from "../../shared/orders/aggregate-store.ts";
import { byDueIndex, dueShards } from "../../shared/orders/due.ts";
import type { Item } from "../../shared/table/items.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import { defaultLifetimeMilliseconds, firstCheckMilliseconds } from "../../shared/timing.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { changeOf, type ListedOrder, toListedOrder } from "./listed-order.ts";

export interface UntoldOrders {
  readonly orders: readonly ListedOrder[];
  /** There are more orders with a next check than were looked at. */
  readonly isMore: boolean;
}

/** Each is read whole, and most of a busy shop's have events, too. */
const mostPerShard = 12;

/**
 * Orders that were created and of which the service has not told yet, from the index of orders with a next check. An
 * order that the service refused, or whose creation got no answer, has no next check and is not found here.
 */
export async function findUntoldOrders(
  target: Target,
  beforeMilliseconds: number,
): Promise<UntoldOrders> {
  const shards = await Promise.all(
    dueShards.map((shard) => keysOfShard(target, shard, beforeMilliseconds)),
  );
  const orders = await fewAtOnce(shards.flat(), (key) => readUntold(target, key));
  return {
    orders: orders.flatMap((order) => (order === undefined ? [] : [order])),
    isMore: shards.some((keys) => keys.length >= mostPerShard),
  };
}

/**
 * An order with the usual lifetime is first checked soon after it expires. Those come first, since orders that ended
 * without money wait a day for their last check, and would crowd out the others.
 */
async function keysOfShard(target: Target, dueShard: string, before: number): Promise<Item[]> {
  const usual = before + defaultLifetimeMilliseconds + firstCheckMilliseconds;
  const ranges = [
    { from: 0, until: usual },
    { from: usual + 1, until: Number.MAX_SAFE_INTEGER },
  ];
  const keys: Item[] = [];
  for (const range of ranges) {
    const query = {
      table: target.tables.orders,
      index: byDueIndex,
      partition: { dueShard },
      range: { name: "dueAtMilliseconds", ...range },
      newestFirst: true,
      pageSize: mostPerShard,
    };
    for await (const key of queryPartition(databaseOf(target), query)) {
      if (keys.length >= mostPerShard) return keys;
      keys.push(key);
    }
  }
  return keys;
}

async function readUntold(
  target: Target,
  { aggregateKey }: Item,
): Promise<ListedOrder | undefined> {
  const { orders: table } = target.tables;
  const order = await loadOrderByKey(databaseOf(target), table, String(aggregateKey));
  if (order === undefined || order.sequence > 0) return undefined;
  return await toListedOrder(target, order, changeOf(order));
}
