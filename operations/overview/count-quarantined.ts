import { bucketShards, byTimeIndex, quarantineBucket } from "../../shared/records/time-bucket.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";

export interface QuarantineCount {
  readonly records: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
  /** Why they cannot be counted. */
  readonly problem?: string;
}

/** Per shard: a count is read often, and what it reads costs. */
const mostPerShard = 100;

/** How many callbacks are quarantined. Events that some subscribers did not get are in the inbox's dead letters only. */
export async function countQuarantined(target: Target): Promise<QuarantineCount> {
  const shards = Array.from({ length: bucketShards }, (_, shard) => shard);
  const counts = await Promise.all(shards.map((shard) => countShard(target, shard)));
  const records = counts.reduce((sum, count) => sum + count, 0);
  return { records, isMore: counts.some((count) => count >= mostPerShard) };
}

async function countShard(target: Target, shard: number): Promise<number> {
  const items = queryPartition(databaseOf(target), {
    table: target.tables.callbacks,
    index: byTimeIndex,
    partition: { timeBucket: quarantineBucket(shard) },
    pageSize: mostPerShard,
  });
  let count = 0;
  for await (const _item of items) if (++count >= mostPerShard) break;
  return count;
}
