import * as z from "zod/mini";
import { stages } from "../../../shared/errors/stages.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";

const text = z.optional(z.string());

const common = {
  timestamp: z.number(),
  httpStatus: z.number(),
  stage: z.optional(z.enum(stages)),
  reason: text,
  detail: text,
  merchantId: text,
  orderNo: text,
  paymentId: text,
  errorName: text,
};

/**
 * The lines about a request and its response (shared/receiving/callback-line.ts, shared/storefront/storefront-line.ts).
 */
const lineSchema = z.discriminatedUnion("service", [
  z.object({
    ...common,
    service: z.literal("receive-callback"),
    outcome: z.enum([
      "accepted",
      "not-authentic",
      "not-an-envelope",
      "source-not-allowed",
      "too-large",
      "not-stored",
    ]),
    durationMilliseconds: z.number(),
    /** Verified. */
    callbackId: text,
    /** Unverified: any sender may have written it. */
    claimedCallbackId: text,
    eventName: text,
    keyStage: text,
    keyVersion: text,
    traceparent: text,
  }),
  z.object({
    ...common,
    service: z.enum(["create-order", "query-order"]),
    outcome: z.enum(["answered", "stale", "problem", "stray"]),
    /** As API Gateway names it. create-order has only one. */
    route: text,
    durationMilliseconds: z.optional(z.number()),
    /** What the caller got. */
    problem: text,
    serviceCode: text,
    serviceStatus: text,
    flags: z.optional(z.array(z.string())),
  }),
]);

/** `id` identifies the line's content. */
export type RequestLine = z.output<typeof lineSchema> & {
  readonly id: string;
  readonly at: string;
};
export type ReceivingLine = Extract<RequestLine, { service: "receive-callback" }>;

/** Undefined for every other line. */
export function readRequestLine(line: string): RequestLine | undefined {
  // Most lines are of other functions, and this is much faster than parsing them.
  if (!line.includes('"httpStatus"')) return undefined;
  const read = lineSchema.safeParse(parseJson(line));
  if (!read.success) return undefined;
  const id = sha256Of(line).slice(0, 12);
  return { ...read.data, id, at: toRfc3339(read.data.timestamp) };
}
