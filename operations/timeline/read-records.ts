import { type CallbackRecord, callbackRecordSchema } from "../../shared/records/callback-record.ts";
import { byAggregateIndex } from "../../shared/records/time-bucket.ts";
import type { Database } from "../../shared/table/database.ts";
import { getItem, type Item } from "../../shared/table/items.ts";
import { queryAll } from "../../shared/table/query-index.ts";
import { fewAtOnce } from "../few-at-once.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";

/** Every record of an aggregate, oldest first. `group` is the hash that identifies the aggregate. */
export async function recordsOfGroup(target: Target, group: string): Promise<CallbackRecord[]> {
  const { callbacks: table } = target.tables;
  const query = { table, index: byAggregateIndex, partition: { group } };
  return await readByKeys(target, await queryAll(databaseOf(target), query));
}

/** Every record of one callback: usually one, more if different content came with the same id. */
export async function recordsOfCallback(
  target: Target,
  callbackKey: string,
): Promise<CallbackRecord[]> {
  const query = { table: target.tables.callbacks, partition: { callbackKey } };
  const items = await queryAll(databaseOf(target), query);
  return items.map((item) => callbackRecordSchema.parse(item));
}

/** The whole records that an index names. Those that have expired since are left out. */
export async function readByKeys(target: Target, keys: readonly Item[]): Promise<CallbackRecord[]> {
  const database = databaseOf(target);
  const records = await fewAtOnce(keys, (key) => readRecord(database, target, key));
  return records.filter((record) => record !== undefined);
}

async function readRecord(
  database: Database,
  { tables }: Target,
  { callbackKey, receipt }: Item,
): Promise<CallbackRecord | undefined> {
  const key = { callbackKey: String(callbackKey), receipt: String(receipt) };
  const item = await getItem(database, tables.callbacks, key);
  return item && callbackRecordSchema.parse(item);
}
