import * as z from "zod/mini";

/** The merchant of a message that holds nothing: it was sent only so that the refusal took as long as the others. */
export const nobody = "";

/** A refused envelope in the queue of captured envelopes. */
export const capturedMessageSchema = z.object({
  version: z.literal(1),
  merchantId: z.string(),
  /** Why it was refused: a reason of `../envelope/refusal.ts`. */
  reason: z.string(),
  receivedAtMilliseconds: z.number(),
  /** The HTTP body as text. Only readable envelopes are captured, so it is UTF-8, and encoding it gives the same bytes. */
  body: z.string(),
});

export type CapturedMessage = z.output<typeof capturedMessageSchema>;
