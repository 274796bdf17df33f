import * as z from "zod/mini";
import { bucketShards, byTimeIndex, hourBucket } from "../../shared/records/time-bucket.ts";
import type { Item } from "../../shared/table/items.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";

/** Where a published event is: an entry of the index by time, which has neither payload nor order number. */
const placeSchema = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  group: z.string(),
  recordedAt: z.string(),
});
export type EventPlace = z.output<typeof placeSchema>;

export interface EventWalk {
  readonly target: Target;
  /** Only events that were recorded before this time. */
  readonly beforeMilliseconds: number;
  /** Buckets of past hours that are known to be empty. They stay so, and need not be read again. */
  readonly emptyBuckets: Set<string>;
  readonly now: () => number;
}

const hourMilliseconds = 3_600_000;
/** A clock of AWS may be ahead of ours, and the index learns of a record a moment later. */
const unsureMilliseconds = 10 * 60_000;
/** Most readers need a few entries only. */
const pageSize = 50;

/** The newest hour is usually enough. Hours further back are read together, because most of them may be empty. */
const hoursAtOnce = [1, 5, 18, 24, 24];
const lookBackHours = hoursAtOnce.reduce((sum, hours) => sum + hours, 0);

/** How far a walk goes: the beginning of the last hour that it reads. */
export function endOfWalk({ beforeMilliseconds }: EventWalk): string {
  return toRfc3339((newestHour(beforeMilliseconds) - lookBackHours + 1) * hourMilliseconds);
}

/** The published events of three days, newest first, as far as the caller goes on asking. */
export async function* newestEvents(walk: EventWalk): AsyncGenerator<EventPlace, void> {
  let hour = newestHour(walk.beforeMilliseconds);
  for (const hours of hoursAtOnce) {
    const buckets = Array.from({ length: hours }, (_, back) => bucketsOf(hour - back)).flat();
    const unread = buckets.filter(({ name }) => !walk.emptyBuckets.has(name));
    yield* merged(await startAll(walk, unread));
    hour -= hours;
  }
}

interface Bucket {
  readonly name: string;
  readonly startMilliseconds: number;
}

/** The hour of the last millisecond before a time. */
function newestHour(beforeMilliseconds: number): number {
  return Math.floor((beforeMilliseconds - 1) / hourMilliseconds);
}

function bucketsOf(hour: number): Bucket[] {
  const startMilliseconds = hour * hourMilliseconds;
  const time = toRfc3339(startMilliseconds);
  return Array.from({ length: bucketShards }, (_, shard) => {
    return { name: hourBucket(time, shard), startMilliseconds };
  });
}

/** A bucket that is being read: its next entry, and the rest. */
interface Source {
  head: EventPlace;
  readonly rest: AsyncGenerator<Item, void>;
}

async function startAll(walk: EventWalk, buckets: readonly Bucket[]): Promise<Source[]> {
  const started = await Promise.all(buckets.map((bucket) => start(walk, bucket)));
  return started.flatMap((source) => (source === undefined ? [] : [source]));
}

async function start(walk: EventWalk, bucket: Bucket): Promise<Source | undefined> {
  const { target, beforeMilliseconds, emptyBuckets, now } = walk;
  const from = bucket.startMilliseconds;
  const until = Math.min(beforeMilliseconds, from + hourMilliseconds) - 1;
  const rest = queryPartition(databaseOf(target), {
    table: target.tables.callbacks,
    index: byTimeIndex,
    partition: { timeBucket: bucket.name },
    range: { name: "recordedAt", from: toRfc3339(from), until: toRfc3339(until) },
    newestFirst: true,
    pageSize,
  });
  const head = await nextOf(rest);
  if (head !== undefined) return { head, rest };
  const endsAt = from + hourMilliseconds;
  const isOver = endsAt <= beforeMilliseconds && endsAt < now() - unsureMilliseconds;
  if (isOver) emptyBuckets.add(bucket.name);
  return undefined;
}

async function* merged(started: readonly Source[]): AsyncGenerator<EventPlace, void> {
  const sources = new Set(started);
  while (sources.size > 0) {
    const newest = [...sources].reduce((one, other) =>
      other.head.recordedAt > one.head.recordedAt ? other : one,
    );
    yield newest.head;
    const next = await nextOf(newest.rest);
    if (next === undefined) sources.delete(newest);
    else newest.head = next;
  }
}

async function nextOf(rest: AsyncGenerator<Item, void>): Promise<EventPlace | undefined> {
  const { value } = await rest.next();
  return value === undefined ? undefined : placeSchema.parse(value);
}
