import * as z from "zod/mini";
import { attentionFields } from "../attention/attention.ts";

/** The fields that every record has. */
const received = {
  /** Identifies the callback by its id, or by its content if the id is not signed. */
  callbackKey: z.string(),
  /** "first", or the name of a receipt with different content under the same id (`conflictingReceipt`). */
  receipt: z.string(),
  origin: z.enum(["callback", "query"]),
  merchantId: z.string(),
  /** As the service wrote it. */
  callbackId: z.optional(z.string()),
  keyVersion: z.optional(z.string()),
  /** The inbox message, byte for byte: evidence of what was received, and what a redrive processes again. */
  message: z.string(),
  contentHash: z.string(),
  /** The FIFO group: the hash of the aggregate, if the message names one. The key of the index by aggregate. */
  group: z.string(),
  receivedAt: z.string(),
  recordedAt: z.string(),
  /** A newer version may have stored flags and types that this one does not know. */
  flags: z.array(z.string()),
  /** In seconds. DynamoDB deletes the record after this time. Without it the record stays. */
  expiresAt: z.optional(z.int()),
};

const factual = {
  factId: z.string(),
  type: z.string(),
};

/** The first receipt of a fact. It holds the event. */
const publishedRecord = z.object({
  ...received,
  ...factual,
  outcome: z.literal("published"),
  /** The final bytes, so that every retry sends the same. */
  event: z.string(),
  sequence: z.int(),
  timeBucket: z.string(),
  /** The subscribers of the event when it was published. */
  recipients: z.array(z.string()),
  /**
   * Each recipient is in one of the three: it does not have the event yet, has it since that time, or will not receive
   * it because an operator dismissed it. DynamoDB cannot store an empty set, so an empty one is absent.
   */
  pending: z._default(z.array(z.string()), []),
  /** When each subscriber's queue accepted the event, by the subscriber's name. */
  delivered: z.record(z.string(), z.string()),
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

/** Authentic but not understood. Kept until an operator fixes the cause and redrives it, or dismisses it. */
const quarantinedRecord = z.object({
  ...received,
  outcome: z.literal("quarantined"),
  reason: z.string(),
  detail: z.string(),
  /** When it was last processed. */
  triedAt: z.string(),
  /** Becomes `expiresAt` when an operator dismisses it. Absent if only the record stops a replay. */
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
