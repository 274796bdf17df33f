import { bucketShards, byTimeIndex, hourBucket } from "../../../shared/records/time-bucket.ts";
import { queryPartition, scanIndex } from "../../../shared/table/query-index.ts";
import { numberText } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Work } from "../described/description.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../ports/target.ts";
import { type FoundEntry, loadEvent, readEntry } from "./read-records.ts";

/** Reading published events: from where, and who hears of each. */
export interface EventReading extends Work {
  readonly target: Pick<Target, "stack" | "orders" | "records">;
  readonly found: (entry: FoundEntry) => void;
}

/** Times are RFC 3339 in UTC, like `recordedAt`. Both ends are included. */
export interface TimeRange {
  /** Without it, the range begins with the first record. */
  readonly since?: string | undefined;
  readonly until: string;
  /** Only the events with these ids. No index has the ids, so each record of the range is read. */
  readonly events?: readonly string[] | undefined;
}

export const hourMilliseconds = 3_600_000;

/** An hour costs at least eight calls. For a range that is longer than this, one scan of the whole index is faster. */
const longestQueriedHours = 31 * 24;

/** The eight shards of four hours. */
const queriesAtOnce = 32;

/** The number of an hour, counted from 1970. */
export function hourOf(milliseconds: number): number {
  return Math.floor(milliseconds / hourMilliseconds);
}

export function startOfHour(hour: number): string {
  return toRfc3339(hour * hourMilliseconds);
}

/** How to read the records of one hour: a query for each shard. */
export function queriesOfHour(
  { records }: Pick<Target, "records">,
  hour: number,
  from: string,
  until: string,
) {
  return Array.from({ length: bucketShards }, (_item, shard) => ({
    table: records.table,
    index: byTimeIndex,
    partition: { timeBucket: hourBucket(startOfHour(hour), shard) },
    range: { name: "recordedAt", from, until },
  }));
}

/**
 * Finds the published events of a time range. The index's key is `timeBucket` (hour and shard) and `recordedAt`. Hours
 * and shards are read at the same time, so events are in no order.
 */
export async function readEventsBetween(reading: EventReading, range: TimeRange): Promise<void> {
  const { since } = range;
  if (since === undefined || isScanned(range)) return await scanAll(reading, range);
  await queryHours(reading, { ...range, since });
}

/** Whether the range is so long that the whole index is read to find its events. */
function isScanned({ since, until, events }: TimeRange): boolean {
  if (since === undefined) return true;
  return events === undefined && hoursOf(since, until).length > longestQueriedHours;
}

function hoursOf(since: string, until: string): number[] {
  const first = hourOf(Date.parse(since));
  const length = Math.max(0, hourOf(Date.parse(until)) - first + 1);
  return Array.from({ length }, (_item, index) => first + index);
}

async function queryHours(
  { target, stopped, tell, found }: EventReading,
  { since, until, events }: TimeRange & { readonly since: string },
): Promise<void> {
  const all = hoursOf(since, until);
  const queries = all.flatMap((hour) => queriesOfHour(target, hour, since, until));
  let queriesDone = 0;
  const readOne = async (query: (typeof queries)[number]) => {
    stopped.throwIfAborted();
    for await (const item of queryPartition(target.records.database, query)) {
      stopped.throwIfAborted();
      const entry = readEntry(item);
      if (events === undefined || (await isNamed(target, entry, events))) found(entry);
    }
    queriesDone += 1;
    tell(
      `Reading: ${numberText(Math.floor(queriesDone / bucketShards))} of ${numberText(all.length)} hours`,
    );
  };
  await fewAtOnce(queries, readOne, queriesAtOnce);
}

async function isNamed(
  target: Pick<Target, "records">,
  entry: FoundEntry,
  events: readonly string[],
): Promise<boolean> {
  const event = await loadEvent(target, entry);
  return event !== undefined && events.includes(event.factId);
}

async function scanAll(
  { target, stopped, tell, found }: EventReading,
  { since = "", until }: TimeRange,
): Promise<void> {
  for await (const item of scanIndex(target.records.database, target.records.table, byTimeIndex)) {
    stopped.throwIfAborted();
    tell("Reading the whole history");
    const entry = readEntry(item);
    if (entry.recordedAt >= since && entry.recordedAt <= until) found(entry);
  }
}
