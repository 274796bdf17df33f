import * as z from "zod/mini";
import { bucketShards, byTimeIndex, hourBucket } from "../../shared/records/time-bucket.ts";
import type { Database } from "../../shared/table/database.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";

/** When each version of a secret verified a callback for the last time, as far as the records were read. */
export interface VersionUse {
  /** All records from this time on were read. */
  readonly since: string;
  /** How many records were read. */
  readonly callbacks: number;
  /** Version id to the time of the last record. */
  readonly lastUsedAt: ReadonlyMap<string, string>;
}

const hourMilliseconds = 60 * 60_000;

/** About 15 MB of the index. A stack with more callbacks is read for fewer hours. */
const mostRecords = 50_000;

const entrySchema = z.object({ recordedAt: z.string(), keyVersion: z.optional(z.string()) });

/**
 * Reads the index of published records, the newest first. A callback that states a known fact is not in it, so a
 * version that verified only such callbacks is told as not used.
 */
export async function readVersionUse(target: Target, options: UseOptions): Promise<VersionUse> {
  const { hours, now = Date.now, most = mostRecords } = options;
  const startedAt = now();
  const reading = startReading(target, now, most);
  let since = startedAt - (startedAt % hourMilliseconds);
  for (let back = 0; back < hours; back++) {
    const hour = startedAt - back * hourMilliseconds;
    const stoppedAt = await readHour(reading, new Date(hour).toISOString());
    since = stoppedAt ?? hour - (hour % hourMilliseconds);
    if (stoppedAt !== undefined) break;
  }
  const callbacks = most - Math.max(0, reading.left);
  return { since: new Date(since).toISOString(), callbacks, lastUsedAt: reading.lastUsedAt };
}

interface UseOptions {
  readonly hours: number;
  readonly now?: () => number;
  /** The most records to read. */
  readonly most?: number;
}

interface Reading {
  readonly database: Database;
  readonly table: string;
  readonly lastUsedAt: Map<string, string>;
  /** How many more records may be read. */
  left: number;
}

function startReading(target: Target, now: () => number, left: number): Reading {
  const database = databaseOf(target, now);
  return { database, table: target.tables.callbacks, lastUsedAt: new Map(), left };
}

/** If there are too many records, gives the time after which all of them were read. */
async function readHour(reading: Reading, hour: string): Promise<number | undefined> {
  const shards = Array.from({ length: bucketShards }, (_, shard) => shard);
  const stops = await Promise.all(
    shards.map((shard) => readBucket(reading, hourBucket(hour, shard))),
  );
  const stopped = stops.flatMap((stop) => (stop === undefined ? [] : [Date.parse(stop)]));
  return stopped.length === 0 ? undefined : Math.max(...stopped);
}

async function readBucket(reading: Reading, timeBucket: string): Promise<string | undefined> {
  const { database, table, lastUsedAt } = reading;
  const query = { table, index: byTimeIndex, partition: { timeBucket }, newestFirst: true };
  for await (const item of queryPartition(database, query)) {
    const { recordedAt, keyVersion } = entrySchema.parse(item);
    if (reading.left <= 0) return recordedAt;
    reading.left--;
    if (keyVersion === undefined) continue;
    if (recordedAt > (lastUsedAt.get(keyVersion) ?? "")) lastUsedAt.set(keyVersion, recordedAt);
  }
  return undefined;
}
