import {
  attentionPartition,
  attentionShards,
  byAttentionIndex,
} from "../../shared/records/attention.ts";
import type { CallbackRecord } from "../../shared/records/callback-record.ts";
import type { Item } from "../../shared/table/items.ts";
import { queryPage } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { readByKeys } from "../timeline/read-records.ts";
import { endOfWalk, newestEvents } from "./newest-events.ts";

export interface LookOptions {
  /** Only what was recorded before this time; quarantined callbacks are looked at only without it. */
  readonly beforeMilliseconds: number | undefined;
  readonly emptyBuckets: Set<string>;
  readonly stopped: AbortSignal;
  readonly now: () => number;
  readonly isMatch: (record: CallbackRecord) => boolean;
  /** The most events to read. */
  readonly most: number;
}

/** What was found, and what was looked at. */
export interface Looked {
  readonly matches: readonly CallbackRecord[];
  readonly records: number;
  /** Every event since then was looked at. */
  readonly since: string;
}

const longestMilliseconds = 10_000;
const batchSize = 16;
const mostQuarantinedPerShard = 50;

/**
 * Reads the newest records whole, because no index has what is looked for. Ends when something is found, or at a limit
 * of records or time.
 */
export async function lookThrough(target: Target, options: LookOptions): Promise<Looked> {
  const { now, most, isMatch, stopped, emptyBuckets } = options;
  const endsAt = now() + longestMilliseconds;
  const beforeMilliseconds = options.beforeMilliseconds ?? now() + 60_000;
  const walk = { target, beforeMilliseconds, emptyBuckets, now };
  const aside = options.beforeMilliseconds === undefined ? await quarantined(target) : [];
  const matches = aside.filter(isMatch);
  let records = aside.length;
  let events = 0;
  let batch: (Item & { recordedAt: string })[] = [];
  const readBatch = async () => {
    matches.push(...(await readByKeys(target, batch)).filter(isMatch));
    records += batch.length;
    batch = [];
  };
  for await (const place of newestEvents(walk)) {
    const last = batch.at(-1)?.recordedAt;
    if (batch.length >= Math.min(batchSize, most) && place.recordedAt !== last) {
      await readBatch();
      const isOver = events >= most || now() > endsAt || stopped.aborted;
      if (matches.length > 0 || isOver) return { matches, records, since: last ?? "" };
    }
    events += 1;
    batch.push(place);
  }
  await readBatch();
  return { matches, records, since: endOfWalk(walk) };
}

/** Quarantined callbacks are few, and have an index of their own. */
async function quarantined(target: Target): Promise<CallbackRecord[]> {
  const shards = Array.from({ length: attentionShards }, (_, shard) => shard);
  const keys = await Promise.all(
    shards.map((shard) => {
      const partition = { attentionShard: attentionPartition("quarantined", shard) };
      const query = { table: target.tables.callbacks, index: byAttentionIndex, partition };
      const newest = { ...query, newestFirst: true };
      return queryPage(databaseOf(target), newest, mostQuarantinedPerShard);
    }),
  );
  return await readByKeys(target, keys.flat());
}
