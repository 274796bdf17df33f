import * as z from "zod/mini";
import { attentionFields } from "../attention/attention.ts";

/** The fields that are kept of every message from the inbox. */
const received = {
  /** Unique per callback id, or per content if the id is not signed. */
  callbackKey: z.string(),
  /** "first", or identifies different content that came with the same id. */
  receipt: z.string(),
  origin: z.enum(["callback", "query"]),
  merchantId: z.string(),
  /** As the service wrote it. */
  callbackId: z.optional(z.string()),
  keyVersion: z.optional(z.string()),
  /** The inbox message, byte for byte: the evidence of what was received, and what a redrive sends again. */
  message: z.string(),
  contentHash: z.string(),
  /** The FIFO group of the message: the aggregate's, if it names one. The index by aggregate finds the record by it. */
  group: z.string(),
  receivedAt: z.string(),
  recordedAt: z.string(),
  /** Flags and type may be of a newer version. */
  flags: z.array(z.string()),
  /** In seconds. DynamoDB then deletes the record; without this field the record stays. */
  expiresAt: z.optional(z.int()),
};

const factual = {
  factId: z.string(),
  type: z.string(),
};

/** The first receipt of a fact: it holds the event. */
const publishedRecord = z.object({
  ...received,
  ...factual,
  outcome: z.literal("published"),
  /** The finished bytes: every retry sends the same. */
  event: z.string(),
  sequence: z.int(),
  timeBucket: z.string(),
  /** The subscribers that wanted the event when it was published. */
  recipients: z.array(z.string()),
  /** Subscribers that have not got the event. An empty set cannot be stored and reads as absent. */
  pending: z._default(z.array(z.string()), []),
  /** When subscribers got the event: `deliveryTime` reads it. */
  deliveredAt: z.optional(z.array(z.string())),
  /** Subscribers that will not get the event, because a person decided so. */
  dismissed: z.optional(z.array(z.string())),
  /** Becomes `expiresAt` when no subscriber is pending, so that an event never expires before it is delivered. */
  keptUntil: z.optional(z.int()),
  ...attentionFields,
});

const knownFactRecord = z.object({
  ...received,
  ...factual,
  outcome: z.literal("known-fact"),
});

/** Authentic but not understood: kept until a person has fixed the cause and sends it again, or dismisses it. */
const quarantinedRecord = z.object({
  ...received,
  outcome: z.literal("quarantined"),
  reason: z.string(),
  detail: z.string(),
  /** When it was last tried. */
  triedAt: z.string(),
  /** Becomes `expiresAt` when a person dismisses it. Absent if only the record stops a replay. */
  keptUntil: z.optional(z.int()),
  dismissedAt: z.optional(z.string()),
  ...attentionFields,
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
