import { hash } from "node:crypto";
import * as z from "zod";
import { AwsError } from "../aws-error.ts";

const attributeSchema = z.object({
  DataType: z.string().regex(/^(String|Number|Binary)(\..+)?$/, "must be String, Number or Binary"),
  StringValue: z.string().optional(),
  /** In base64. */
  BinaryValue: z.string().optional(),
});
export const attributesSchema = z.record(z.string(), attributeSchema).default({});
type Attributes = z.output<typeof attributesSchema>;

/** A message as a queue stores it, in memory and in the file between two starts. */
export const messageSchema = z.object({
  id: z.string(),
  body: z.string(),
  attributes: attributesSchema,
  systemAttributes: attributesSchema,
  groupId: z.string().optional(),
  deduplicationId: z.string().optional(),
  sequenceNumber: z.string().optional(),
  sentAtMilliseconds: z.number(),
  /** Delayed before its first receive, in flight after a receive. */
  visibleAtMilliseconds: z.number(),
  receiveCount: z.number(),
  firstReceivedAtMilliseconds: z.number().optional(),
  /** The source queue of a dead letter. */
  deadLetterSourceArn: z.string().optional(),
});
export type Message = z.output<typeof messageSchema>;

/** The handle of the last receive. */
export function receiptHandleOf({ id, receiveCount }: Message): string {
  return `${id}#${receiveCount}`;
}

export function messageIdOf(receiptHandle: string): string {
  const [, id] = /^(.+)#\d+$/.exec(receiptHandle) ?? [];
  if (id !== undefined) return id;
  throw new AwsError("ReceiptHandleIsInvalid", "The input receipt handle is invalid.");
}

export type Content = Pick<Message, "body" | "attributes" | "systemAttributes">;

/** The digests that a sender compares with its own. */
export function digestsOf({ body, attributes, systemAttributes }: Content): object {
  return {
    MD5OfMessageBody: md5(body),
    ...digestOf("MD5OfMessageAttributes", attributes),
    ...digestOf("MD5OfMessageSystemAttributes", systemAttributes),
  };
}

export interface Wanted {
  readonly systemAttributes: readonly string[];
  readonly attributes: readonly string[];
}

/** A message as a consumer receives it. */
export function toReceived(message: Message, wanted: Wanted): object {
  const system = Object.entries(systemAttributesOf(message)).filter(
    ([name, value]) => value !== undefined && isWanted(wanted.systemAttributes, name),
  );
  const own = Object.entries(message.attributes).filter(([name]) =>
    isWanted(wanted.attributes, name),
  );
  const MessageAttributes = Object.fromEntries(own);
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandleOf(message),
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(own.length > 0 && { MessageAttributes }),
    ...digestOf("MD5OfMessageAttributes", MessageAttributes),
  };
}

function systemAttributesOf(message: Message): Record<string, string | undefined> {
  return {
    SenderId: "local",
    SentTimestamp: String(message.sentAtMilliseconds),
    ApproximateReceiveCount: String(message.receiveCount),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAtMilliseconds),
    SequenceNumber: message.sequenceNumber,
    MessageDeduplicationId: message.deduplicationId,
    MessageGroupId: message.groupId,
    AWSTraceHeader: message.systemAttributes["AWSTraceHeader"]?.StringValue,
    DeadLetterQueueSourceArn: message.deadLetterSourceArn,
  };
}

/** `All`, a name, or the beginning of names with `.*` after it. */
function isWanted(wanted: readonly string[], name: string): boolean {
  return wanted.some(
    (pattern) =>
      pattern === "All" ||
      pattern === name ||
      (pattern.endsWith(".*") && name.startsWith(pattern.slice(0, -2))),
  );
}

/** Everything that counts towards the maximum size. */
export function sizeOf({ body, attributes }: Pick<Content, "body" | "attributes">): number {
  const texts = Object.entries(attributes).flatMap(([name, { DataType, ...value }]) => [
    Buffer.from(name + DataType),
    bytesOf(value),
  ]);
  return [Buffer.from(body), ...texts].reduce((sum, { length }) => sum + length, 0);
}

function digestOf(name: string, attributes: Attributes): object {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return {};
  const parts = names.flatMap((attributeName) => {
    const { DataType, ...value } = attributes[attributeName] ?? { DataType: "" };
    const transport = Buffer.from([value.BinaryValue === undefined ? 1 : 2]);
    return [withLength(attributeName), withLength(DataType), transport, withLength(bytesOf(value))];
  });
  return { [name]: md5(Buffer.concat(parts)) };
}

interface AttributeValue {
  readonly StringValue?: string | undefined;
  readonly BinaryValue?: string | undefined;
}

function bytesOf({ StringValue = "", BinaryValue }: AttributeValue): Buffer {
  return BinaryValue === undefined ? Buffer.from(StringValue) : Buffer.from(BinaryValue, "base64");
}

function withLength(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function md5(content: string | Buffer): string {
  return hash("md5", content);
}
