import {
  aboutOf,
  attentionPartitions,
  attentionParts,
  byAttentionIndex,
  partOf,
} from "../../../shared/attention/attention.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readInboxMessage, subjectOfMessage } from "../../../shared/inbox/inbox-message.ts";
import { queryPartition } from "../../../shared/table/query-index.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { deliveryPatienceMilliseconds, longestRetryMilliseconds } from "../../../shared/timing.ts";
import type { Work } from "../described/description.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { findEvents, groupsOf } from "../records/find-events.ts";
import { type EventEntry, loadRecord } from "../records/read-records.ts";
import { type FoundItem, foundItem, type ItemFilter, isNotice } from "./item.ts";

export interface FoundItems {
  /** Newest first. */
  readonly found: readonly FoundItem[];
  /** There may be more matches than were read. */
  readonly isMore: boolean;
}

/** The most that one change works on: 80,000 of each kind, in eight shards. */
const mostPerShard = 10_000;

/** Enough to count what a list does not show. It is read by one call. */
const mostListed = 1_000;

/**
 * The items that need attention, by one query for each shard of each part of the index. With an order or a time range
 * it also reads the records of events that were never tried: they are in no index.
 */
export async function findItems(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "queues">,
  filter: ItemFilter,
  work: Work,
  most = mostPerShard,
): Promise<FoundItems> {
  const { merchantId, orderNo } = filter;
  const order = { merchantId, orderNo, withRefunds: true };
  const groups = orderNo === undefined ? undefined : await groupsOf(target, order);
  const parts = filter.kind === undefined ? attentionParts : [partOf(filter.kind)];
  const partitions = parts.flatMap(attentionPartitions);
  const isWanted = (candidate: FoundItem) => matches(candidate, filter, groups);
  const read = await Promise.all(
    partitions.map((partition) =>
      readPartition(target, partition, filter, { isWanted, most, work }),
    ),
  );
  const indexed = read.flat();
  const known = new Set(indexed.map(({ item }) => item.id));
  const untried = await untriedItems(target, filter, work);
  const found = [
    ...indexed,
    ...untried.filter((candidate) => !known.has(candidate.item.id) && isWanted(candidate)),
  ];
  return {
    found: found.sort((left, right) => right.item.since.localeCompare(left.item.since)),
    isMore: read.some((items) => items.length >= most),
  };
}

/**
 * The newest items, for a list: one call for each shard of each part of the index, however many items there are. A
 * filter that the index does not sort by searches everything.
 */
export async function findNewest(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "queues">,
  filter: ItemFilter,
  limit: number,
  work: Work,
): Promise<FoundItems> {
  const { kind: _kind, since: _since, until: _until, ...rest } = filter;
  const isSorted = Object.values(rest).every((value) => value === undefined);
  const most = isSorted ? Math.max(limit, mostListed) : mostPerShard;
  return await findItems(target, filter, work, most);
}

interface Reading {
  readonly isWanted: (candidate: FoundItem) => boolean;
  readonly most: number;
  readonly work: Work;
}

/** Reads on until it has the most that are wanted: the few that match may be behind very many others. */
async function readPartition(
  target: Pick<Target, "records" | "queues">,
  attentionShard: string,
  { since = "0", until = "9" }: ItemFilter,
  { isWanted, most, work: { stopped } }: Reading,
): Promise<readonly FoundItem[]> {
  const items: FoundItem[] = [];
  const rows = queryPartition(target.records.database, {
    table: target.records.table,
    index: byAttentionIndex,
    partition: { attentionShard },
    range: { name: "attentionSince", from: since, until },
    newestFirst: true,
    pageSize: Math.max(most, mostListed),
  });
  for await (const row of rows) {
    stopped.throwIfAborted();
    const found = foundItem(target, row);
    if (isWanted(found)) items.push(found);
    if (items.length >= most) break;
  }
  return items;
}

function matches(
  found: FoundItem,
  { ids, kind, reason, merchantId, subscriber }: ItemFilter,
  groups: readonly string[] | undefined,
): boolean {
  const { item, group } = found;
  const isOfKind = kind === "notice" ? isNotice(found) : item.kind === kind;
  return (
    (ids === undefined || ids.some((id) => item.id.startsWith(id.toLowerCase()))) &&
    (kind === undefined || isOfKind) &&
    (reason === undefined || item.reason === reason) &&
    (merchantId === undefined || item.merchantId === merchantId) &&
    (subscriber === undefined || Object.hasOwn(item.subscribers, subscriber)) &&
    (groups === undefined || groups.includes(group))
  );
}

/** Each is read by its key, so their number has a bound. */
const mostRecords = 100_000;

/** A younger event is still on its normal way: process-callback tries it for this time, with pauses. */
export const normalWayMilliseconds = deliveryPatienceMilliseconds + 2 * longestRetryMilliseconds;

/**
 * Published events that a subscriber has not received and that nothing tries to deliver, such as after the inbox was
 * purged. Finds nothing without an order or a time range. Throws `wrong-usage` if the range has too many events.
 */
export async function untriedItems(
  target: Pick<Target, "stack" | "clock" | "orders" | "records" | "queues">,
  filter: ItemFilter,
  { stopped, tell }: Work,
  most = mostRecords,
): Promise<readonly FoundItem[]> {
  const { kind, reason, orderNo, since } = filter;
  if (kind !== undefined || reason !== undefined) return [];
  if (orderNo === undefined && since === undefined) return [];
  const entries = await publishedIn(target, filter, { stopped, tell }, most);
  let looked = 0;
  const found = await fewAtOnce(entries, async (entry) => {
    stopped.throwIfAborted();
    looked += 1;
    tell(`Reading recorded events: ${looked} of ${entries.length}`);
    return await untriedItem(target, entry);
  });
  return found.filter((untried) => untried !== undefined);
}

async function publishedIn(
  target: Pick<Target, "stack" | "clock" | "orders" | "records">,
  { merchantId, orderNo, since, until: end }: ItemFilter,
  work: Work,
  most: number,
): Promise<readonly EventEntry[]> {
  const longAgo = toRfc3339(target.clock.now() - normalWayMilliseconds);
  const until = end !== undefined && end < longAgo ? end : longAgo;
  if (since !== undefined && since > until) return [];
  const entries: EventEntry[] = [];
  const found = (entry: EventEntry) => {
    if (merchantId !== undefined && entry.merchantId !== merchantId) return;
    if (entries.push(entry) > most) throw new PaycastError("wrong-usage", tooMany(most));
  };
  const place = { merchantId, orderNo, since, until, withRefunds: true };
  await findEvents({ target, found, ...work }, place);
  return entries;
}

/** Undefined if nothing is missing, or if the record says itself that it needs attention. */
async function untriedItem(
  target: Pick<Target, "records" | "queues">,
  entry: EventEntry,
): Promise<FoundItem | undefined> {
  const key = { callbackKey: entry.callbackKey, receipt: entry.receipt };
  const record = await loadRecord(target, key);
  if (record?.outcome !== "published" || record.pending.length === 0) return undefined;
  if (record.attention !== undefined) return undefined;
  const found = foundItem(target, {
    ...record,
    attention: {
      kind: "waiting",
      subscribers: Object.fromEntries(record.pending.map((name) => [name, "NotTried"])),
      ...aboutOf(subjectOfMessage(readInboxMessage(record.message))),
    },
    attentionSince: record.recordedAt,
  });
  return { ...found, item: { ...found.item, kind: "untried" } };
}

function tooMany(most: number): string {
  return `More than ${most} events are recorded in that time range, and each would have to be read. Give a shorter range, or a kind to read only the index.`;
}
