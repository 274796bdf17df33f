import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";

/** What receive-callback logged of one request (shared/receiving/callback-line.ts). */
const lineSchema = z.object({
  service: z.literal("receive-callback"),
  timestamp: z.number(),
  outcome: z.enum([
    "accepted",
    "not-authentic",
    "not-an-envelope",
    "source-not-allowed",
    "too-large",
    "not-stored",
  ]),
  reason: z.optional(z.string()),
  detail: z.optional(z.string()),
  merchantId: z.optional(z.string()),
  orderNo: z.optional(z.string()),
  paymentId: z.optional(z.string()),
  /** Verified. */
  callbackId: z.optional(z.string()),
  /** As a stranger may have written it. */
  claimedCallbackId: z.optional(z.string()),
  keyStage: z.optional(z.string()),
  httpStatus: z.optional(z.number()),
  durationMilliseconds: z.number(),
  errorName: z.optional(z.string()),
  errorCode: z.optional(z.string()),
  traceparent: z.optional(z.string()),
});

export type ReceivingLine = z.output<typeof lineSchema> & { readonly at: string };

/** Undefined for every other line. */
export function readReceivingLine(text: string): ReceivingLine | undefined {
  // Most lines are of other functions, and this is much faster than parsing them.
  if (!text.includes('"receive-callback"')) return undefined;
  const read = lineSchema.safeParse(parseJson(text));
  return read.success ? { ...read.data, at: toRfc3339(read.data.timestamp) } : undefined;
}
