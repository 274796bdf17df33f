import * as z from "zod/mini";
import { bucketShards, byTimeIndex, hourBucket } from "../../shared/records/time-bucket.ts";
import type { Database } from "../../shared/table/database.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { explainAwsError } from "../target/explain-error.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { previousEndsAt, type StoredKeys } from "./stored-keys.ts";

/** When each version of a secret verified a callback for the last time, as far as the records were read. */
export interface VersionUse {
  /** All records from this time on were read. */
  readonly since: string;
  /** How many records were read. */
  readonly callbacks: number;
  /** Version id to the time of the last record. */
  readonly lastUsedAt: ReadonlyMap<string, string>;
  /** Why the records cannot be read. Keys must be repairable also then. */
  readonly problem?: string;
}

const hourMilliseconds = 60 * 60_000;

/** For how long back a version counts as in use, if nobody says otherwise. */
export const usualHours = 24;

/** About 15 MB of the index. A stack with more callbacks is read for fewer hours. */
const mostRecords = 50_000;

const entrySchema = z.object({ recordedAt: z.string(), keyVersion: z.optional(z.string()) });

interface UseOptions {
  readonly hours?: number;
  readonly now?: () => number;
  /** The most records to read. */
  readonly most?: number;
}

/**
 * Reads the index of published records, the newest first. A callback that states a known fact is not in it, so a
 * version that verified only such callbacks counts as not used.
 */
export async function readVersionUse(target: Target, options: UseOptions): Promise<VersionUse> {
  const { hours = usualHours, now = Date.now, most = mostRecords } = options;
  const startedAt = now();
  const table = target.tables.callbacks;
  const lastUsedAt = new Map<string, string>();
  const reading: Reading = { database: databaseOf(target, now), table, lastUsedAt, left: most };
  try {
    const since = toRfc3339(await readHours(reading, startedAt, hours));
    return { since, callbacks: most - Math.max(0, reading.left), lastUsedAt };
  } catch (error) {
    const problem = explainAwsError(error)?.message;
    if (problem === undefined) throw error;
    return { since: toRfc3339(startedAt), callbacks: 0, lastUsedAt: new Map(), problem };
  }
}

interface Reading {
  readonly database: Database;
  readonly table: string;
  readonly lastUsedAt: Map<string, string>;
  /** How many more records may be read. */
  left: number;
}

/** The time from which on all records were read. */
async function readHours(reading: Reading, startedAt: number, hours: number): Promise<number> {
  let since = startedAt;
  for (let back = 0; back < hours; back++) {
    const hour = startedAt - back * hourMilliseconds;
    const unread = await readHour(reading, toRfc3339(hour));
    if (unread !== undefined) return unread + 1;
    since = hour - (hour % hourMilliseconds);
  }
  return since;
}

/** If there are too many records, gives the time of the newest one that was not read. */
async function readHour(reading: Reading, hour: string): Promise<number | undefined> {
  const shards = Array.from({ length: bucketShards }, (_, shard) => shard);
  const unread = await Promise.all(
    shards.map((shard) => readBucket(reading, hourBucket(hour, shard))),
  );
  const times = unread.flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
  return times.length === 0 ? undefined : Math.max(...times);
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

/** Whether the previous callback keys are still needed, as far as the records were read. */
const retirements = {
  over: () => "The previous callback keys verify no more: their time is over.",
  "in-use": (since: string) =>
    `The previous callback keys are still in use: they verified a callback since ${since}.`,
  safe: (since: string) =>
    `Every callback since ${since} was verified by the current callback keys. The previous ones can go ("keys revoke --previous").`,
  unknown: (since: string) =>
    `No callback was recorded since ${since}: whether the service still uses the previous callback keys is not known.`,
};
export type Retirement = keyof typeof retirements;

export function retirementText(retirement: Retirement, { since }: VersionUse): string {
  return retirements[retirement](since);
}

/** Undefined if there are no previous keys, if they verify nothing anyway, or if the records cannot be read. */
export function retirementOf(
  keys: StoredKeys,
  { previousKeysMilliseconds }: Target,
  { lastUsedAt, problem }: VersionUse,
): Retirement | undefined {
  const endsAt = previousEndsAt(keys, previousKeysMilliseconds);
  const { current, previous } = keys;
  if (current === undefined || previous === undefined || endsAt === undefined) return undefined;
  if (endsAt <= Date.now()) return "over";
  if (problem !== undefined) return undefined;
  if (lastUsedAt.has(previous.versionId)) return "in-use";
  return lastUsedAt.has(current.versionId) ? "safe" : "unknown";
}
