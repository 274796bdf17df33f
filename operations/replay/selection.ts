import * as z from "zod";

/** Which events to replay. Every field that is given narrows it. Times are RFC 3339 in UTC, like `recordedAt`. */
export const selectionSchema = z.object({
  /** Event ids. No index has them, so `orderNo`, `paymentId` or `since` says where to look. */
  events: z.array(z.string()).optional(),
  orderNo: z.string().optional(),
  /** With an order, also the refund events of its payments. */
  withRefunds: z.boolean(),
  paymentId: z.string().optional(),
  /** Patterns as in the config; none means every type. */
  types: z.array(z.string()).readonly(),
  merchantId: z.string().optional(),
  since: z.string().optional(),
  /** Never later than the start of the run: what is recorded after that is live. */
  until: z.string(),
});

export type Selection = z.output<typeof selectionSchema>;
