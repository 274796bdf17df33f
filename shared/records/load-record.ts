import { PaycastError } from "../errors/paycast-error.ts";
import type { NamedRecord } from "../inbox/inbox-body.ts";
import type { Database } from "../table/database.ts";
import { requireKnownFormat } from "../table/item-format.ts";
import { getItem, type Item } from "../table/items.ts";
import type { CallbackRecord } from "./callback-record.ts";
import { readRecord } from "./stored-record.ts";

/**
 * Undefined if there is no record with this key, or only a notice. Throws `item-newer`, which passes with a
 * deployment, or `record-unreadable`, which no retry fixes.
 */
export async function loadRecord(
  database: Database,
  table: string,
  { callbackKey, receipt }: NamedRecord,
): Promise<CallbackRecord | undefined> {
  const item = await getItem(database, table, { callbackKey, receipt });
  return item && recordIn(item);
}

/** Undefined for a notice. Throws `item-newer`, which passes with a deployment, or `record-unreadable`. */
export function recordIn(item: Item): CallbackRecord | undefined {
  if (item["outcome"] === "notice") return undefined;
  requireKnownFormat(item);
  try {
    return readRecord(item);
  } catch (cause) {
    throw new PaycastError("record-unreadable", "The record was written by another version.", {
      cause,
    });
  }
}
