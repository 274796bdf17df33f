import { Buffer } from "node:buffer";
import * as z from "zod/mini";
import { toAsciiJson } from "../ascii-json.ts";
import { describeIssues } from "../describe-issues.ts";
import { PaycastError } from "../paycast-error.ts";

/** What was learned of an order: by a callback, or by asking the service. Both go the same way. */
const learned = {
  version: z.literal(1),
  merchantId: z.string(),
  plaintext: z.string(),
  /** Set where the plaintext, escaped, would be more than a queue takes. */
  plaintextEncoding: z.optional(z.literal("base64")),
  deduplication: z.object({ key: z.string(), replayable: z.boolean() }),
  receivedAtMilliseconds: z.int(),
  traceparent: z.string(),
};

const callbackMessage = z.object({
  ...learned,
  origin: z.literal("callback"),
  merchantIsSigned: z.boolean(),
  callbackId: z.optional(z.string()),
  eventName: z.optional(z.string()),
  sentAtMilliseconds: z.optional(z.int()),
  verifiedBy: z.object({ versionId: z.string(), stage: z.enum(["current", "previous"]) }),
});

const queryMessage = z.object({
  ...learned,
  origin: z.literal("query"),
  /** The payment that was asked for: an answer is matched by it (§2.9 names orders and refunds alike). */
  paymentId: z.string(),
  orderNo: z.string(),
});

const inboxMessage = z.discriminatedUnion("origin", [callbackMessage, queryMessage]);

export type CallbackMessage = z.output<typeof callbackMessage>;
export type QueryMessage = z.output<typeof queryMessage>;
export type InboxMessage = z.output<typeof inboxMessage>;

/** SQS takes a mebibyte; the rest is for attributes. */
const mostTextBytes = 1_000_000;

export function writeInboxMessage(message: InboxMessage): string {
  const text = toAsciiJson(message);
  if (text.length <= mostTextBytes) return text;
  const plaintext = Buffer.from(message.plaintext, "utf8").toString("base64");
  return toAsciiJson({ ...message, plaintext, plaintextEncoding: "base64" });
}

/** Throws `inbox-message-unreadable`: something else than Paycast wrote to the queue. */
export function readInboxMessage(text: string): InboxMessage {
  const message = inboxMessage.safeParse(parseJson(text));
  if (!message.success) throw unreadable(describeIssues(message.error, "message"));
  const { plaintextEncoding, ...rest } = message.data;
  if (plaintextEncoding === undefined) return rest;
  return { ...rest, plaintext: Buffer.from(rest.plaintext, plaintextEncoding).toString("utf8") };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable("it is not JSON");
  }
}

function unreadable(problem: string): PaycastError {
  return new PaycastError("inbox-message-unreadable", `Not an inbox message: ${problem}.`);
}
