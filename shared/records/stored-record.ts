import * as z from "zod/mini";
import { readInboxMessage } from "../inbox/inbox-message.ts";
import { toAsciiJson } from "../json/ascii-json.ts";
import { parseJson } from "../json/parse-json.ts";
import type { Item } from "../table/items.ts";
import { leaveOut } from "../table/leave-out.ts";
import { type CallbackRecord, callbackRecordSchema } from "./callback-record.ts";
import { readCallbackKey, signedHash } from "./receipt.ts";

/*
 * How a record is stored as an item. A write costs one unit per KiB, so parts of the message and the event that repeat
 * other attributes are omitted: a usual record costs two units. Reading restores them byte for byte. This is verified
 * before the record is written; a record that would not be restored exactly is stored whole.
 *
 * Every retry must send the same bytes, even from the previous version after a rollback. So the omitted parts never
 * change: a later version stores anything new, such as another schema, explicitly.
 */

export function recordItem(record: CallbackRecord): Item {
  const item = record.outcome === "published" ? withPendingSet(record) : { ...record };
  const short = shorten(item);
  return short !== undefined && isSame(withHash(short), item) ? short : item;
}

/** Throws if this version cannot read the item as a record. */
export function readRecord(item: Item): CallbackRecord {
  return callbackRecordSchema.parse(withHash(item));
}

function withHash(item: Item): Item {
  const whole = wholeRecord(item);
  if ("contentHash" in whole) return whole;
  return { contentHash: signedHash(readInboxMessage(String(whole["message"]))), ...whole };
}

/** The item with the whole message and event, not validated. Throws if they cannot be restored. */
export function wholeRecord(item: Item): Item {
  const beside = readBeside(item);
  const whole = { flags: [], origin: beside?.origin, ...item };
  if (!isShort(item)) return whole;
  if (beside === undefined)
    throw new Error("A record in the table was written by another version.");
  const message = toAsciiJson({ ...messageBeside(beside), ...item.message });
  if (typeof item["event"] !== "string") return { ...whole, message };
  const short = fieldsOf(item["event"]);
  const event = toAsciiJson({ ...eventBeside(beside, message, short), ...short });
  return { ...whole, message, event };
}

/** The message is a map if parts of it are omitted. */
function isShort(item: Item): item is Item & { readonly message: object } {
  return typeof item["message"] === "object";
}

/** The attributes that the omitted parts repeat. */
const besideSchema = z.object({
  callbackKey: z.string(),
  merchantId: z.string(),
  receivedAt: z.string(),
  callbackId: z.optional(z.string()),
  keyVersion: z.optional(z.string()),
  factId: z.string(),
  type: z.string(),
  group: z.string(),
  sequence: z.optional(z.int()),
});

type Beside = NonNullable<ReturnType<typeof readBeside>>;

/** Undefined if the record lacks these attributes, as a quarantined one does. */
function readBeside(item: Item) {
  const { data } = besideSchema.safeParse(item);
  const key = data && readCallbackKey(data.callbackKey);
  return key && { ...data, ...key };
}

/** Every field of a message, in order. Fields that no other attribute has are undefined. */
function messageBeside({ origin, key, receivedAt, ...beside }: Beside): Item {
  return {
    version: 1,
    origin,
    merchantId: beside.merchantId,
    body: undefined,
    bodyForm: "text",
    deduplication: { key, replayable: false },
    receivedAtMilliseconds: Date.parse(receivedAt),
    traceparent: undefined,
    callbackId: beside.callbackId,
    eventName: origin === "callback" ? beside.type : undefined,
    sentAtMilliseconds: undefined,
    keyVersion: beside.keyVersion,
    paymentId: undefined,
    orderNo: undefined,
  };
}

/** The rest of a message, as a map that people can read. A map has no order, so it must not contain another map. */
const shortMessageSchema = z.strictObject({
  body: z.string().check(z.refine((text) => text.isWellFormed())),
  bodyForm: z.optional(z.string()),
  traceparent: z.string(),
  sentAtMilliseconds: z.optional(z.int()),
  paymentId: z.optional(z.string()),
  orderNo: z.optional(z.string()),
});

/** The same for an event. Its data has the order and usually the time. */
function eventBeside(beside: Beside, message: string, { data }: Item): Item {
  const { completedAt: time, orderNo: subject } = fieldsSchema.safeParse(data).data ?? {};
  const isRefund = beside.type.startsWith("payment.refund.");
  return {
    specversion: "1.0",
    id: beside.factId,
    source: undefined,
    time,
    datacontenttype: "application/json",
    partitionkey: beside.group,
    sequence: String(beside.sequence).padStart(10, "0"),
    origin: beside.origin,
    traceparent: fieldsOf(message)["traceparent"],
    subject,
    type: beside.type,
    dataschema: `urn:paycast:schema:payment-${isRefund ? "refund" : "order"}-event:1`,
    data: undefined,
  };
}

function shorten(item: Item): Item | undefined {
  const beside = readBeside(item);
  if (beside === undefined) return undefined;
  const text = String(item["message"]);
  const message = shortMessageSchema.safeParse(leaveOut(fieldsOf(text), messageBeside(beside)));
  if (!message.success) return undefined;
  const { contentHash: _contentHash, origin: _origin, ...rest } = leaveOut(item, { flags: [] });
  const short = { ...rest, message: message.data };
  if (typeof item["event"] !== "string") return short;
  const event = fieldsOf(item["event"]);
  return { ...short, event: toAsciiJson(leaveOut(event, eventBeside(beside, text, event))) };
}

const fieldsSchema = z.record(z.string(), z.unknown());

function fieldsOf(json: string): Item {
  return fieldsSchema.safeParse(parseJson(json)).data ?? {};
}

function isSame(left: Item, right: Item): boolean {
  return ["message", "event", "contentHash", "origin"].every((name) => left[name] === right[name]);
}

function withPendingSet<R extends { readonly pending: readonly string[] }>(record: R) {
  return { ...record, pending: new Set(record.pending) };
}
