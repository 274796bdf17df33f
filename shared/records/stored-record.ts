import { itemFormat, requireKnownFormat } from "../table/item-format.ts";
import type { Item } from "../table/items.ts";
import { type CallbackRecord, callbackRecordSchema } from "./callback-record.ts";

/** The record as it is. Its message and its event are the exact texts that were received and are sent. */
export function recordItem(record: CallbackRecord): Item {
  const item = { ...record, itemFormat };
  return record.outcome === "published" ? { ...item, pending: new Set(record.pending) } : item;
}

/** Throws `item-newer`, or another error if this version cannot read the item as a record. */
export function readRecord(item: Item): CallbackRecord {
  requireKnownFormat(item);
  return callbackRecordSchema.parse(item);
}
