import { type CallbackRecord, callbackRecordSchema } from "../../shared/records/callback-record.ts";
import { getItem } from "../../shared/table/items.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import type { RecordKey } from "./item.ts";

/** The record as it is now. */
export async function loadRecord(
  target: Target,
  { callbackKey, receipt }: RecordKey,
): Promise<CallbackRecord | undefined> {
  const key = { callbackKey, receipt };
  const item = await getItem(databaseOf(target), target.tables.callbacks, key);
  return item && callbackRecordSchema.parse(item);
}
