import * as z from "zod/mini";
import { bucketShards, byTimeIndex, quarantineBucket } from "../../shared/records/time-bucket.ts";
import { queryPartition } from "../../shared/table/query-index.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { itemId, type RecordKey } from "./quarantined-item.ts";

/** What the index by time knows of a quarantined record: enough to filter and count without reading the records. */
export interface IndexedRecord {
  readonly id: string;
  readonly key: RecordKey;
  readonly at: string;
  readonly group: string;
  readonly merchantId: string;
  readonly reason: string;
}

const indexedSchema = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  recordedAt: z.string(),
  group: z.string(),
  merchantId: z.string(),
  reason: z.string(),
});

export async function quarantinedRecords(target: Target): Promise<readonly IndexedRecord[]> {
  const shards = Array.from({ length: bucketShards }, (_, shard) => shard);
  const found = await Promise.all(shards.map((shard) => recordsOfShard(target, shard)));
  return found.flat();
}

async function recordsOfShard(target: Target, shard: number): Promise<IndexedRecord[]> {
  const records: IndexedRecord[] = [];
  const items = queryPartition(databaseOf(target), {
    table: target.tables.callbacks,
    index: byTimeIndex,
    partition: { timeBucket: quarantineBucket(shard) },
  });
  for await (const item of items) {
    const { callbackKey, receipt, recordedAt: at, ...rest } = indexedSchema.parse(item);
    const key = { callbackKey, receipt };
    records.push({ id: itemId(key), key, at, ...rest });
  }
  return records;
}
