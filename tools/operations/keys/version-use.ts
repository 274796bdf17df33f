import * as z from "zod/mini";
import type { Database } from "../../../shared/table/database.ts";
import { queryPartition } from "../../../shared/table/query-index.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { hourOf, queriesOfHour, startOfHour } from "../records/events-by-time.ts";
import { explainAwsError } from "../target/explain-error.ts";
import { databaseOf, type Target } from "../target/target.ts";
import type { StoredKeys } from "./stored-keys.ts";

/** When each version of a secret verified a callback for the last time, as far as the records were read. */
export interface VersionUse {
  /** All records from this time on were read. */
  readonly since: string;
  /** How many records were read. */
  readonly callbacks: number;
  /** Version id to the time of the last record. */
  readonly lastUsedAt: ReadonlyMap<string, string>;
  /** Version id to the number of records. */
  readonly timesUsed: ReadonlyMap<string, number>;
  /** Why the records cannot be read. Keys must be repairable also then. */
  readonly problem?: string;
}

/** For how long back a version counts as in use, if nobody says otherwise. */
export const usualHours = 24;

/** About 15 MB of the index. A stack with more callbacks is read for fewer hours. */
const mostRecords = 50_000;

/** Small beside that: all shards are read at once, and what they read beyond the limit is paid for, too. */
const pageSize = 500;

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
export async function readVersionUse(
  target: Target,
  options: UseOptions = {},
): Promise<VersionUse> {
  const { hours = usualHours, now = Date.now, most = mostRecords } = options;
  const startedAt = now();
  const [lastUsedAt, timesUsed] = [new Map<string, string>(), new Map<string, number>()];
  const database = databaseOf(target, now);
  const reading: Reading = { target, database, lastUsedAt, timesUsed, left: most };
  try {
    const since = await readHours(reading, startedAt, hours);
    return { since, callbacks: most - Math.max(0, reading.left), lastUsedAt, timesUsed };
  } catch (error) {
    const problem = explainAwsError(error)?.message;
    if (problem === undefined) throw error;
    const nothing = { callbacks: 0, lastUsedAt: new Map(), timesUsed: new Map() };
    return { since: toRfc3339(startedAt), ...nothing, problem };
  }
}

interface Reading {
  readonly target: Target;
  readonly database: Database;
  readonly lastUsedAt: Map<string, string>;
  readonly timesUsed: Map<string, number>;
  /** How many more records may be read. */
  left: number;
}

/** The time from which on all records were read. */
async function readHours(reading: Reading, startedAt: number, hours: number): Promise<string> {
  const last = hourOf(startedAt);
  let since = toRfc3339(startedAt);
  for (let hour = last; hour > last - hours; hour--) {
    const unread = await readHour(reading, hour);
    if (unread !== undefined) return toRfc3339(Date.parse(unread) + 1);
    since = startOfHour(hour);
  }
  return since;
}

/** If there are too many records, gives the time of the newest one that was not read. */
async function readHour(reading: Reading, hour: number): Promise<string | undefined> {
  const queries = queriesOfHour(reading.target, hour, startOfHour(hour), startOfHour(hour + 1));
  const unread = await Promise.all(queries.map((query) => readBucket(reading, query)));
  return unread
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}

type HourQuery = ReturnType<typeof queriesOfHour>[number];

async function readBucket(reading: Reading, query: HourQuery): Promise<string | undefined> {
  const { database, lastUsedAt, timesUsed } = reading;
  for await (const item of queryPartition(database, { ...query, newestFirst: true, pageSize })) {
    const { recordedAt, keyVersion } = entrySchema.parse(item);
    if (reading.left <= 0) return recordedAt;
    reading.left--;
    if (keyVersion === undefined) continue;
    timesUsed.set(keyVersion, (timesUsed.get(keyVersion) ?? 0) + 1);
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
  { current, previous }: StoredKeys,
  { lastUsedAt, problem }: VersionUse,
): Retirement | undefined {
  if (current === undefined || previous?.endsAt === undefined) return undefined;
  if (previous.endsAt <= Date.now()) return "over";
  if (problem !== undefined) return undefined;
  if (lastUsedAt.has(previous.versionId)) return "in-use";
  return lastUsedAt.has(current.versionId) ? "safe" : "unknown";
}
