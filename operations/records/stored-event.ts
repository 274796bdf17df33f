import * as z from "zod";
import { PaycastError } from "../../shared/paycast-error.ts";
import { wholeRecord } from "../../shared/records/stored-record.ts";
import { getItem, type Item } from "../../shared/table/items.ts";
import { databaseOf, type Target } from "../target/target.ts";
import type { RecordKey } from "./read-records.ts";

const entrySchema = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  group: z.string(),
  sequence: z.int(),
  type: z.string(),
  merchantId: z.string(),
  recordedAt: z.string(),
});

const eventSchema = entrySchema.extend({
  factId: z.string(),
  event: z.string(),
  pending: z.array(z.string()).default([]),
});

/** A published event without its bytes: its record's key, and what decides whether and when it is sent. */
export type EventEntry = z.output<typeof entrySchema>;

/** The same, and who has not got it, where the record was read: the index does not know it. */
export type FoundEntry = EventEntry & { readonly pending?: readonly string[] };

/** A published event as its record holds it. Only what a replay needs: other fields may be of a newer version. */
export type StoredEvent = z.output<typeof eventSchema>;

/** An item of the index by time, which has only records that hold an event. */
export function readEntry(item: Item): EventEntry {
  return ofThisVersion(() => entrySchema.parse(item));
}

/** The event of a record; undefined if there is no such record, or if it holds no event. */
export async function loadEvent(
  target: Target,
  { callbackKey, receipt }: RecordKey,
): Promise<StoredEvent | undefined> {
  const key = { callbackKey, receipt };
  const item = await getItem(databaseOf(target), target.tables.callbacks, key);
  if (item?.["outcome"] !== "published") return undefined;
  return ofThisVersion(() => eventSchema.parse(wholeRecord(item)));
}

function ofThisVersion<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message =
      "A record in the table is of another version. Use the command of the version that is deployed.";
    throw new PaycastError("target-incomplete", message, { cause });
  }
}
