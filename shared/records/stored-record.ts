import * as z from "zod/mini";
import { toAsciiJson } from "../ascii-json.ts";
import { readInboxMessage } from "../inbox/inbox-message.ts";
import { parseJson } from "../parse-json.ts";
import type { Item } from "../table/items.ts";
import { leaveOut } from "../table/leave-out.ts";
import { type CallbackRecord, callbackRecordSchema } from "./callback-record.ts";
import { readCallbackKey, signedHash } from "./receipt.ts";

/*
 * How a record becomes an item, and an item a record. A write costs a unit for each KiB, so what the message and the event
 * repeat of the item's other attributes is left out of them: a usual record costs two units. Reading puts them together
 * again byte for byte. This is tried before the record is written, and one that would not come out the same is stored
 * whole.
 * This file makes the bytes of events that are stored already, and every retry must send the same, also by the version
 * before, after a rollback. So what is left out is fixed for ever: a later version stores whatever is new, such as
 * another schema.
 */

export function recordItem(record: CallbackRecord): Item {
  const item = record.outcome === "published" ? withPendingSet(record) : { ...record };
  const short = shorten(item);
  return short !== undefined && isSame(withHash(short), item) ? short : item;
}

/** Throws if the item is no record that this version can read. */
export function readRecord(item: Item): CallbackRecord {
  return callbackRecordSchema.parse(withHash(item));
}

function withHash(item: Item): Item {
  const whole = wholeRecord(item);
  if ("contentHash" in whole) return whole;
  return { contentHash: signedHash(readInboxMessage(String(whole["message"]))), ...whole };
}

/** The item with the message and the event as they were, not checked. Throws if they cannot be made again. */
export function wholeRecord(item: Item): Item {
  const beside = readBeside(item);
  const whole = { flags: [], origin: beside?.origin, ...item };
  if (!isShort(item)) return whole;
  if (beside === undefined) throw new Error("A record in the table is of another version.");
  const message = toAsciiJson({ ...messageBeside(beside), ...item.message });
  if (typeof item["event"] !== "string") return { ...whole, message };
  const short = fieldsOf(item["event"]);
  const event = toAsciiJson({ ...eventBeside(beside, message, short), ...short });
  return { ...whole, message, event };
}

/** A message that is a map is one of which something was left out. */
function isShort(item: Item): item is Item & { readonly message: object } {
  return typeof item["message"] === "object";
}

/** The attributes that stand beside the message and the event. */
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

/** Undefined if the record is not of the usual kind, as a quarantined one. */
function readBeside(item: Item) {
  const { data } = besideSchema.safeParse(item);
  const key = data && readCallbackKey(data.callbackKey);
  return key && { ...data, ...key };
}

/** Every field of a message, in its order. Those that stand nowhere else are undefined. */
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

/** What is left of a message, as a map that people can read. A map has no order, so it holds no other map. */
const shortMessageSchema = z.strictObject({
  body: z.string().check(z.refine((text) => text.isWellFormed())),
  bodyForm: z.optional(z.string()),
  traceparent: z.string(),
  sentAtMilliseconds: z.optional(z.int()),
  paymentId: z.optional(z.string()),
  orderNo: z.optional(z.string()),
});

/** The same of an event. Its data tell the order, and mostly the time. */
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
