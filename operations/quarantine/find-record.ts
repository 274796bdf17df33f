import { type InboxMessage, readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import {
  type CallbackRecord,
  callbackRecordSchema,
  conflictingReceipt,
  firstReceipt,
} from "../../shared/records/callback-record.ts";
import { callbackKeyOf, signedHash } from "../../shared/records/receipt.ts";
import { getItem } from "../../shared/table/items.ts";
import type { HeldMessage } from "../dead-letters/held-message.ts";
import type { Target } from "../target/target.ts";
import { databaseOf } from "../target/target-database.ts";
import { type Finding, foreignId, itemId, type RecordKey } from "./quarantined-item.ts";

/** The record as it is now. */
export async function loadRecord(
  target: Target,
  { callbackKey, receipt }: RecordKey,
): Promise<CallbackRecord | undefined> {
  const key = { callbackKey, receipt };
  const item = await getItem(databaseOf(target), target.tables.callbacks, key);
  return item && callbackRecordSchema.parse(item);
}

/** A dead letter with its record, if it has one. */
export async function findingOfLetter(target: Target, letter: HeldMessage): Promise<Finding> {
  const message = readIfOurs(letter.body);
  if (message === undefined) {
    const id = foreignId(letter.body);
    return { id, letter, record: undefined, message, key: undefined };
  }
  const { key, record } = await findRecord(target, message);
  return { id: itemId(key), letter, record, message, key };
}

/** Undefined if the record was deleted meanwhile. */
export async function findingOfRecord(
  target: Target,
  key: RecordKey,
): Promise<Finding | undefined> {
  const record = await loadRecord(target, key);
  if (record === undefined) return undefined;
  const message = readInboxMessage(record.message);
  return { id: itemId(key), letter: undefined, record, message, key };
}

/** The first content of a callback id has its record under `first`, any other content has a record of its own. */
async function findRecord(target: Target, message: InboxMessage) {
  const callbackKey = callbackKeyOf(message);
  const contentHash = signedHash(message);
  const firstKey = { callbackKey, receipt: firstReceipt };
  const first = await loadRecord(target, firstKey);
  if (first === undefined || first.contentHash === contentHash) {
    return { key: firstKey, record: first };
  }
  const key = { callbackKey, receipt: conflictingReceipt(contentHash) };
  return { key, record: await loadRecord(target, key) };
}

function readIfOurs(body: string): InboxMessage | undefined {
  try {
    return readInboxMessage(body);
  } catch (error) {
    if (error instanceof PaycastError) return undefined;
    throw error;
  }
}
