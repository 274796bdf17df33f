import { PaycastError } from "../../shared/paycast-error.ts";
import {
  attentionKinds,
  attentionPartitions,
  byAttentionIndex,
} from "../../shared/records/attention.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import type { Work } from "../described/description.ts";
import { groupsOf } from "../records/find-events.ts";
import { databaseOf, type Target } from "../target/target.ts";
import { type FoundItem, foundItem, type ItemFilter } from "./item.ts";
import { untriedItems } from "./untried-items.ts";

export interface FoundItems {
  /** Newest first. */
  readonly found: readonly FoundItem[];
  /** There may be more that matches: it is more than anybody can look at. */
  readonly isMore: boolean;
}

/** What a change works on at once: 80,000 of each kind, in eight shards. */
const mostPerShard = 10_000;

/** Enough to count what a list does not show. It is read by one call. */
const mostListed = 1_000;

/**
 * What needs a person, by one query for each shard and kind. With an order or a time, also events that no try was made
 * for: they are in no index, so their records are read.
 */
export async function findItems(
  target: Target,
  filter: ItemFilter,
  work: Work,
  most = mostPerShard,
): Promise<FoundItems> {
  const { merchantId, orderNo, since, until } = filter;
  if (since !== undefined && until !== undefined && since > until) {
    throw new PaycastError("wrong-usage", "The time since which is after the time until which.");
  }
  const order = { merchantId, orderNo, withRefunds: true };
  const groups = orderNo === undefined ? undefined : await groupsOf(target, order);
  const kinds = filter.kind === undefined ? attentionKinds : [filter.kind];
  const partitions = kinds.flatMap(attentionPartitions);
  const isWanted = (one: FoundItem) => matches(one, filter, groups);
  const read = await Promise.all(
    partitions.map((one) => readPartition(target, one, filter, { isWanted, most, work })),
  );
  const indexed = read.flat();
  const known = new Set(indexed.map(({ item }) => item.id));
  const untried = (await untriedItems(target, filter, work)).filter(
    ({ item }) => !known.has(item.id),
  );
  return {
    found: [...indexed, ...untried].sort((one, other) =>
      other.item.since.localeCompare(one.item.since),
    ),
    isMore: read.some((items) => items.length >= most),
  };
}

/**
 * The newest, for a list: one call for each shard and kind, however much there is. What the index does not sort by is
 * looked for in everything.
 */
export async function findNewest(
  target: Target,
  filter: ItemFilter,
  limit: number,
  work: Work,
): Promise<FoundItems> {
  const { kind: _, since: __, until: ___, ...rest } = filter;
  const isSorted = Object.values(rest).every((value) => value === undefined);
  const most = isSorted ? Math.max(limit, mostListed) : mostPerShard;
  return await findItems(target, filter, work, most);
}

interface Reading {
  readonly isWanted: (one: FoundItem) => boolean;
  readonly most: number;
  readonly work: Work;
}

/** Reads on until it has the most that are wanted: the few that a person looks for may be behind very many others. */
async function readPartition(
  target: Target,
  attentionShard: string,
  { since = "0", until = "9" }: ItemFilter,
  { isWanted, most, work: { stopped } }: Reading,
): Promise<readonly FoundItem[]> {
  const items: FoundItem[] = [];
  const rows = queryPartition(databaseOf(target), {
    table: target.tables.callbacks,
    index: byAttentionIndex,
    partition: { attentionShard },
    range: { name: "attentionSince", from: since, until },
    newestFirst: true,
    pageSize: Math.max(most, mostListed),
  });
  for await (const row of rows) {
    stopped.throwIfAborted();
    const found = foundItem(target, row);
    if (found !== undefined && isWanted(found)) items.push(found);
    if (items.length >= most) break;
  }
  return items;
}

function matches(
  { item, group }: FoundItem,
  { ids, reason, merchantId, subscriber }: ItemFilter,
  groups: readonly string[] | undefined,
): boolean {
  return (
    (ids === undefined || ids.some((id) => item.id.startsWith(id.toLowerCase()))) &&
    (reason === undefined || item.reason === reason) &&
    (merchantId === undefined || item.merchantId === merchantId) &&
    (subscriber === undefined || Object.hasOwn(item.subscribers, subscriber)) &&
    (groups === undefined || groups.includes(group))
  );
}
