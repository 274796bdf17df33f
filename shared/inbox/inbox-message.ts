import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import * as z from "zod/mini";
import type { CallbackContent } from "../envelope/open-callback.ts";
import { withoutByteOrderMark } from "../envelope/text.ts";
import { describeIssues } from "../errors/describe-issues.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { withExactSubject } from "../facts/exact-fields.ts";
import { type Subject, subjectOf } from "../facts/subject.ts";
import { toAsciiJson } from "../json/ascii-json.ts";
import { parseJson } from "../json/parse-json.ts";
import { sha256Of } from "../sha256.ts";
import { inboxVersion } from "./inbox-body.ts";

/** The fields that callbacks and query results share. Both are processed the same way. */
const learned = {
  version: z.literal(inboxVersion),
  merchantId: z.string(),
  body: z.string(),
  /** How `body` is stored: as text, as text in base64 if that is shorter, or as bytes that are not text. */
  bodyForm: z.enum(["text", "base64", "not-utf-8"]),
  deduplication: z.object({ key: z.string(), replayable: z.boolean() }),
  receivedAtMilliseconds: z.int(),
  traceparent: z.string(),
};

const callbackMessage = z.object({
  ...learned,
  origin: z.literal("callback"),
  callbackId: z.optional(z.string()),
  eventName: z.optional(z.string()),
  sentAtMilliseconds: z.optional(z.int()),
  keyVersion: z.string(),
});

const queryMessage = z.object({
  ...learned,
  origin: z.literal("query"),
  paymentId: z.string(),
  orderNo: z.string(),
});

const wireMessage = z.discriminatedUnion("origin", [callbackMessage, queryMessage]);

type BodyForm = z.output<typeof wireMessage>["bodyForm"];

type Read<Wire> = Omit<Wire, "version" | "body" | "bodyForm"> & {
  readonly content: CallbackContent;
};

export type CallbackMessage = Read<z.output<typeof callbackMessage>>;
export type QueryMessage = Read<z.output<typeof queryMessage>>;
/** A message with its content decoded. */
export type InboxMessage = CallbackMessage | QueryMessage;

/**
 * A text that makes the message longer than this is stored in the shorter of two forms. A record must fit into
 * DynamoDB's 400 KB, and a stamped message into SQS's limit: it is JSON inside JSON, so each quotation mark counts
 * twice.
 */
const comfortableCharacters = 100_000;

export function writeInboxMessage(message: InboxMessage): string {
  const { content } = message;
  if (content.kind !== "text")
    return write(message, content.bytes.toString("base64"), content.kind);
  const written = write(message, content.text, "text");
  if (written.length <= comfortableCharacters) return written;
  const encoded = write(message, Buffer.from(content.text, "utf8").toString("base64"), "base64");
  return encoded.length < JSON.stringify(written).length ? encoded : written;
}

/** Lists every field, because copying the message would cost more than its JSON. */
function write(message: InboxMessage, body: string, bodyForm: BodyForm): string {
  const { origin, merchantId, deduplication, receivedAtMilliseconds, traceparent } = message;
  const callback = message.origin === "callback" ? message : undefined;
  const query = message.origin === "query" ? message : undefined;
  return toAsciiJson({
    version: inboxVersion,
    origin,
    merchantId,
    body,
    bodyForm,
    deduplication,
    receivedAtMilliseconds,
    traceparent,
    callbackId: callback?.callbackId,
    eventName: callback?.eventName,
    sentAtMilliseconds: callback?.sentAtMilliseconds,
    keyVersion: callback?.keyVersion,
    paymentId: query?.paymentId,
    orderNo: query?.orderNo,
  });
}

const versioned = z.object({ version: z.int() });

/**
 * While a deployment replaces the functions, and after a rollback, a newer version has sent messages that this one cannot
 * read. They wait in the inbox: in the dead letters an operator would have to redrive each of them.
 */
export function newerMessage(): PaycastError {
  return new PaycastError("inbox-message-newer", "A newer version of Paycast wrote the message.", {
    retryable: true,
  });
}

/** Throws `inbox-message-newer`, or `inbox-message-unreadable` if no version of Paycast wrote the text. */
export function readInboxMessage(text: string): InboxMessage {
  const json = parseJson(text);
  const stated = versioned.safeParse(json);
  if (stated.success && stated.data.version > inboxVersion) throw newerMessage();
  const read = wireMessage.safeParse(json);
  if (!read.success) {
    const problem = describeIssues(read.error, "message");
    throw new PaycastError("inbox-message-unreadable", `Not an inbox message: ${problem}.`);
  }
  const { version: _version, body, bodyForm, ...message } = read.data;
  return { ...message, content: contentOf(body, bodyForm) };
}

function contentOf(body: string, form: BodyForm): CallbackContent {
  if (form === "text") return textContent(body);
  const bytes = Buffer.from(body, "base64");
  return form === "base64" ? textContent(bytes.toString("utf8")) : { kind: form, bytes };
}

/** `result` is undefined if the text is not JSON. A leading byte order mark is ignored. */
function textContent(text: string): CallbackContent {
  return {
    kind: "text",
    text,
    result: parseJson(withoutByteOrderMark(text)),
  };
}

/** The aggregate that a message is about, if it names one. */
export function subjectOfMessage(message: InboxMessage): Subject | undefined {
  const { merchantId, content } = message;
  if (message.origin === "query") return { kind: "order", merchantId, orderNo: message.orderNo };
  if (content.kind !== "text") return undefined;
  return subjectOf(merchantId, message.eventName, withExactSubject(content.result, content.text));
}

/** Distinguishes different content with the same callback id. */
export function contentHash(content: CallbackContent): string {
  if (content.kind === "text") return hash("sha256", content.text);
  return sha256Of(content.kind, content.bytes.toString("base64"));
}
