import { bucketShards, byTimeIndex, hourBucket } from "../../shared/records/time-bucket.ts";
import type { Database } from "../../shared/table/database.ts";
import { getItem, type Item } from "../../shared/table/items.ts";
import { queryPartition, scanIndex } from "../../shared/table/query-index.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { inParallel } from "./in-parallel.ts";
import type { Selection } from "./selection.ts";
import { type FoundEntry, readEntry, readStoredEvent } from "./stored-event.ts";

const hourMilliseconds = 3_600_000;

/** An hour costs at least eight calls. For a range that is longer than this, one scan of the whole index is faster. */
const longestQueriedHours = 31 * 24;

/** The eight shards of four hours. */
const queriesAtOnce = 32;

export interface Reading {
  readonly database: Database;
  readonly table: string;
  readonly stopped: AbortSignal;
  readonly found: (entry: FoundEntry) => void;
  /** How many hours were read; `hours` is undefined while the whole index is scanned. */
  readonly onProgress: (hoursRead: number, hours: number | undefined) => void;
}

/** Finds the events of a range of time. Without a beginning, it is the whole history. */
export async function readRange(reading: Reading, selection: Selection): Promise<void> {
  const hours =
    selection.since === undefined ? undefined : hoursOf(selection.since, selection.until);
  const isQueried = hours !== undefined && (hours <= longestQueriedHours || selection.events);
  await (isQueried ? queryHours(reading, selection, hours) : scanAll(reading, selection));
}

function hoursOf(since: string, until: string): number {
  return hourNumber(until) - hourNumber(since) + 1;
}

function hourNumber(time: string): number {
  return Math.floor(Date.parse(time) / hourMilliseconds);
}

async function queryHours(
  reading: Reading,
  { since = "", until, events }: Selection,
  hours: number,
): Promise<void> {
  const { database, table, stopped, onProgress } = reading;
  const range = { name: "recordedAt", from: since, until };
  let bucketsRead = 0;
  await inParallel(bucketsOf(since, until), queriesAtOnce, async (timeBucket) => {
    stopped.throwIfAborted();
    const query = { table, index: byTimeIndex, partition: { timeBucket }, range };
    for await (const item of queryPartition(database, query)) {
      stopped.throwIfAborted();
      if (await isNamed(reading, item, events)) take(reading, item);
    }
    bucketsRead += 1;
    onProgress(Math.floor(bucketsRead / bucketShards), hours);
  });
}

function* bucketsOf(since: string, until: string): Generator<string> {
  for (let hour = hourNumber(since); hour <= hourNumber(until); hour += 1) {
    const time = toRfc3339(hour * hourMilliseconds);
    for (let shard = 0; shard < bucketShards; shard += 1) yield hourBucket(time, shard);
  }
}

async function scanAll(reading: Reading, { since = "", until }: Selection): Promise<void> {
  const { database, table, stopped, onProgress } = reading;
  for await (const item of scanIndex(database, table, byTimeIndex)) {
    stopped.throwIfAborted();
    onProgress(0, undefined);
    const recordedAt = String(item["recordedAt"]);
    if (recordedAt >= since && recordedAt <= until) take(reading, item);
  }
}

/** The index does not have the event's id, so the record is read. */
async function isNamed(
  { database, table }: Reading,
  item: Item,
  events: readonly string[] | undefined,
): Promise<boolean> {
  if (events === undefined) return true;
  const { callbackKey, receipt } = readEntry(item);
  const record = readStoredEvent(await getItem(database, table, { callbackKey, receipt }));
  return record !== undefined && events.includes(record.factId);
}

function take({ found }: Reading, item: Item): void {
  found(readEntry(item));
}
