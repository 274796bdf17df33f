import * as z from "zod/mini";

/** The merchant id of a message without content. It is sent only so that the refusal takes as long as any other. */
export const nobody = "";

/** A rejected envelope in the queue of captured envelopes. */
export const capturedMessageSchema = z.object({
  version: z.literal(1),
  merchantId: z.string(),
  /** A `RefusalReason` (errors/error-codes.ts). */
  reason: z.string(),
  receivedAtMilliseconds: z.number(),
  /**
   * The HTTP body as text. Only readable envelopes are captured, so it is UTF-8, and encoding it again returns the same
   * bytes.
   */
  body: z.string(),
});

export type CapturedMessage = z.output<typeof capturedMessageSchema>;
