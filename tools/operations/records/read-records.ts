import * as z from "zod";
import { keyOfId } from "../../../shared/envelope/deduplication.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { Subject } from "../../../shared/facts/subject.ts";
import type { NamedRecord } from "../../../shared/inbox/inbox-body.ts";
import { readInboxMessage, subjectOfMessage } from "../../../shared/inbox/inbox-message.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { loadRecord as load, recordIn } from "../../../shared/records/load-record.ts";
import { callbackKeyOf } from "../../../shared/records/receipt.ts";
import { readRecord } from "../../../shared/records/stored-record.ts";
import { byAggregateIndex } from "../../../shared/records/time-bucket.ts";
import { getItem, getItems, type Item } from "../../../shared/table/items.ts";
import { queryAll } from "../../../shared/table/query-index.ts";
import type { Target } from "../ports/target.ts";

/** The key of a record in the callbacks table. */
export type RecordKey = NamedRecord;

/** The key of the record that an item of an index stands for. */
export function keyOf({ callbackKey, receipt }: Item): RecordKey {
  return { callbackKey: String(callbackKey), receipt: String(receipt) };
}

async function getRecord(target: Pick<Target, "records">, { callbackKey, receipt }: RecordKey) {
  return await getItem(target.records.database, target.records.table, { callbackKey, receipt });
}

export async function loadRecord(
  target: Pick<Target, "records">,
  key: RecordKey,
): Promise<CallbackRecord | undefined> {
  return await load(target.records.database, target.records.table, key);
}

/** Every record of an aggregate, oldest first. `group` is the hash that identifies the aggregate. */
export async function recordsOfGroup(
  target: Pick<Target, "records">,
  group: string,
): Promise<CallbackRecord[]> {
  const { database, table } = target.records;
  const query = { table, index: byAggregateIndex, partition: { group } };
  return await readByKeys(target, await queryAll(database, query));
}

/** Every record of one callback: usually one, more if different content has the same id. */
export async function recordsOfCallback(
  target: Pick<Target, "records">,
  merchantId: string,
  callbackId: string,
): Promise<CallbackRecord[]> {
  const deduplication = { key: keyOfId(callbackId), replayable: false };
  const callbackKey = callbackKeyOf({ merchantId, origin: "callback", deduplication });
  const { database, table } = target.records;
  const items = await queryAll(database, { table, partition: { callbackKey } });
  return items.map(readRecord);
}

/** The whole records that an index names, in its order, a hundred by one call. Expired ones are omitted. */
export async function readByKeys(
  target: Pick<Target, "records">,
  entries: readonly Item[],
  isConsistent = true,
): Promise<CallbackRecord[]> {
  const { database, table } = target.records;
  const query = { table, keys: entries.map(keyOf), isConsistent };
  const items = await getItems(database, query);
  const nameOf = (item: Item) => JSON.stringify(keyOf(item));
  const found = new Map(items.map((item) => [nameOf(item), recordIn(item)]));
  return entries.flatMap((entry) => found.get(nameOf(entry)) ?? []);
}

/** The exact content that the service sent: parsed as JSON, 12.30 would be shown as 12.3. */
export type StoredPayload = { readonly text: string } | { readonly base64: string };

export interface RecordContent {
  readonly subject: Subject | undefined;
  readonly payload: StoredPayload;
  /** The same as a value; undefined if it is not JSON. */
  readonly result: unknown;
}

/** The content of a record's message, even if it could not be understood. */
export function contentOfRecord({ message: text }: CallbackRecord): RecordContent {
  try {
    const message = readInboxMessage(text);
    const { content } = message;
    const subject = subjectOfMessage(message);
    return content.kind === "text"
      ? { subject, payload: { text: content.text }, result: content.result }
      : { subject, payload: { base64: content.bytes.toString("base64") }, result: undefined };
  } catch (error) {
    if (!(error instanceof PaycastError)) throw error;
    return { subject: undefined, payload: { text }, result: undefined };
  }
}

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

/** The same, and who has not received it, if the record was read: the index does not have it. */
export type FoundEntry = EventEntry & { readonly pending?: readonly string[] };

/** A published event as its record holds it. Only what a replay needs: other fields may be of a newer version. */
export type StoredEvent = z.output<typeof eventSchema>;

/** An item of the index by time, which has only records that hold an event. */
export function readEntry(item: Item): EventEntry {
  return ofThisVersion(() => entrySchema.parse(item));
}

/** The event of a record; undefined if there is no such record, or if it holds no event. */
export async function loadEvent(
  target: Pick<Target, "records">,
  key: RecordKey,
): Promise<StoredEvent | undefined> {
  const item = await getRecord(target, key);
  if (item?.["outcome"] !== "published") return undefined;
  return ofThisVersion(() => eventSchema.parse(item));
}

function ofThisVersion<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message =
      "A record in the table is of another version. Use the command of the deployed version.";
    throw new PaycastError("target-incomplete", message, { cause });
  }
}
