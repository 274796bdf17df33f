import * as z from "zod/mini";
import { eventTypes } from "../facts/event-types.ts";
import { flags } from "../facts/flags.ts";

/** What is kept of every message from the inbox. */
const received = {
  /** Unique per callback id, or per content where the id is not signed. */
  callbackKey: z.string(),
  /** "first", or names the other content that came under the same id. */
  receipt: z.string(),
  origin: z.enum(["callback", "query"]),
  merchantId: z.string(),
  /** As the service wrote it. */
  callbackId: z.optional(z.string()),
  keyVersion: z.optional(z.string()),
  /** The inbox message itself, byte for byte: what was said, and what a redrive sends again. */
  message: z.string(),
  contentHash: z.string(),
  /** The FIFO group that it came in. */
  group: z.string(),
  receivedAt: z.string(),
  recordedAt: z.string(),
  flags: z.array(z.enum(flags)),
  /** In seconds. DynamoDB removes the record then; without it the record stays. */
  expiresAt: z.optional(z.int()),
};

const factual = {
  factId: z.string(),
  type: z.enum(eventTypes),
  aggregateKey: z.string(),
};

/** The receipt that told a fact first: it holds the event. */
const publishedRecord = z.object({
  ...received,
  ...factual,
  outcome: z.literal("published"),
  /** The finished bytes: every retry sends the same. */
  event: z.string(),
  sequence: z.int(),
  /** Subscribers that have not got the event. An empty set cannot be stored and reads as absent. */
  pending: z._default(z.array(z.string()), []),
  /** Becomes `expiresAt` once nobody is pending, so that an event never expires before it is delivered. */
  keptUntil: z.optional(z.int()),
});

const knownFactRecord = z.object({
  ...received,
  ...factual,
  outcome: z.literal("known-fact"),
});

/** Authentic, and not understood: kept until somebody has fixed the cause and sends it again. */
const quarantinedRecord = z.object({
  ...received,
  outcome: z.literal("quarantined"),
  reason: z.string(),
  detail: z.string(),
});

export const callbackRecordSchema = z.discriminatedUnion("outcome", [
  publishedRecord,
  knownFactRecord,
  quarantinedRecord,
]);

export type PublishedRecord = z.output<typeof publishedRecord>;
export type KnownFactRecord = z.output<typeof knownFactRecord>;
export type QuarantinedRecord = z.output<typeof quarantinedRecord>;
export type CallbackRecord = z.output<typeof callbackRecordSchema>;

export const firstReceipt = "first";

export function conflictingReceipt(contentHash: string): string {
  return `conflict#${contentHash}`;
}
