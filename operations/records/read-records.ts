import { keyOfId } from "../../shared/envelope/deduplication.ts";
import type { CallbackRecord } from "../../shared/records/callback-record.ts";
import { callbackKeyOf } from "../../shared/records/receipt.ts";
import { readRecord } from "../../shared/records/stored-record.ts";
import { byAggregateIndex } from "../../shared/records/time-bucket.ts";
import { getItem, type Item } from "../../shared/table/items.ts";
import { queryAll } from "../../shared/table/query-index.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { databaseOf, type Target } from "../target/target.ts";

/** The key of a record in the callbacks table. */
export interface RecordKey {
  readonly callbackKey: string;
  readonly receipt: string;
}

/** The record as it is now. */
export async function loadRecord(
  target: Target,
  { callbackKey, receipt }: RecordKey,
): Promise<CallbackRecord | undefined> {
  const key = { callbackKey, receipt };
  const item = await getItem(databaseOf(target), target.tables.callbacks, key);
  return item && readRecord(item);
}

/** Every record of an aggregate, oldest first. `group` is the hash that identifies the aggregate. */
export async function recordsOfGroup(target: Target, group: string): Promise<CallbackRecord[]> {
  const { callbacks: table } = target.tables;
  const query = { table, index: byAggregateIndex, partition: { group } };
  return await readByKeys(target, await queryAll(databaseOf(target), query));
}

/** Every record of one callback: usually one, more if different content came with the same id. */
export async function recordsOfCallback(
  target: Target,
  merchantId: string,
  callbackId: string,
): Promise<CallbackRecord[]> {
  const deduplication = { key: keyOfId(callbackId), replayable: false };
  const callbackKey = callbackKeyOf({ merchantId, origin: "callback", deduplication });
  const query = { table: target.tables.callbacks, partition: { callbackKey } };
  const items = await queryAll(databaseOf(target), query);
  return items.map(readRecord);
}

/** The whole records that an index names. Those that have expired since are left out. */
export async function readByKeys(target: Target, keys: readonly Item[]): Promise<CallbackRecord[]> {
  const records = await fewAtOnce(keys, (item) => loadRecord(target, keyOf(item)));
  return records.filter((record) => record !== undefined);
}

/** The key of the record that an item of an index stands for. */
export function keyOf({ callbackKey, receipt }: Item): RecordKey {
  return { callbackKey: String(callbackKey), receipt: String(receipt) };
}
