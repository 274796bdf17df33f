import type { NamedRecord } from "../inbox/inbox-body.ts";
import type { Database } from "../table/database.ts";
import { getItem } from "../table/items.ts";
import type { CallbackRecord } from "./callback-record.ts";
import { readRecord } from "./stored-record.ts";

/** The record as it is now. */
export async function loadRecord(
  database: Database,
  table: string,
  { callbackKey, receipt }: NamedRecord,
): Promise<CallbackRecord | undefined> {
  const item = await getItem(database, table, { callbackKey, receipt });
  return item && readRecord(item);
}
