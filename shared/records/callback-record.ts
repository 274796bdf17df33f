import * as z from "zod/mini";

export const deferredMark = "deferred" as const;

/**
 * What is kept of one receipt: the plaintext, the fact it states, and, for the receipt that published
 * it, the event's finished bytes and who has not got them yet. `callbackKey` is unique per callback id;
 * `receipt` is "first", or names the other plaintext that came under the same id.
 */
export const callbackRecordSchema = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  origin: z.enum(["callback", "query"]),
  merchantId: z.string(),
  callbackId: z.optional(z.string()),
  plaintext: z.string(),
  bodyHash: z.string(),
  factId: z.string(),
  type: z.string(),
  orderKey: z.string(),
  flags: z.array(z.string()),
  /** RFC 3339 with milliseconds, and its day: by these, and by `orderKey`, receipts are found later. */
  receivedAt: z.string(),
  receivedDay: z.string(),
  keyVersion: z.optional(z.string()),
  /** What becomes of it, once: `published`, or `known-fact` when another receipt had told it before. */
  outcome: z.enum(["published", "known-fact"]),
  group: z.string(),
  event: z.optional(z.string()),
  sequence: z.optional(z.int()),
  /** Subscribers that have not got the event. */
  pending: z._default(z.array(z.string()), []),
  /** Those of them that deliver-pending sends to; the others are process-callback's. */
  held: z._default(z.array(z.string()), []),
  /** Set while somebody is held; the sparse index is made of it. */
  deferred: z.optional(z.literal(deferredMark)),
  nextAttemptAt: z.optional(z.string()),
  attempts: z._default(z.int(), 0),
  /** Until when it is kept, in seconds; for ever where absent. */
  keptUntil: z.optional(z.int()),
  /** The same, by which DynamoDB lets it expire; absent while somebody is held, who needs it. */
  expiresAt: z.optional(z.int()),
});

export type CallbackRecord = z.output<typeof callbackRecordSchema>;

export const firstReceipt = "first";

export function conflictingReceipt(bodyHash: string): string {
  return `conflict#${bodyHash}`;
}
