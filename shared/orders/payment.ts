import * as z from "zod/mini";
import { aggregateKeyOf } from "../facts/subject.ts";
import { amountSchema, refundSchema } from "./schemas.ts";

/**
 * The payment aggregate: the refunds of one payment and, once create-order has linked it, the order that it pays. It
 * has its own `revision` and `sequence`, with the same meaning as in the order aggregate.
 */
export const paymentSchema = z.object({
  aggregateKey: z.string(),
  kind: z.literal("payment"),
  merchantId: z.string(),
  paymentId: z.string(),
  revision: z.int(),
  sequence: z.int(),
  refunds: z.record(z.string(), refundSchema),
  facts: z.record(z.string(), z.int()),
  /** A newer version may have stored flags that this one does not know. */
  flags: z.array(z.string()),
  order: z.optional(z.object({ orderNo: z.string(), expected: amountSchema })),
});

export type Payment = z.output<typeof paymentSchema>;

/** A payment that is not stored yet. */
export function newPayment(merchantId: string, paymentId: string): Payment {
  return {
    aggregateKey: aggregateKeyOf({ kind: "payment", merchantId, paymentId }),
    kind: "payment",
    merchantId,
    paymentId,
    revision: 0,
    sequence: 0,
    refunds: {},
    facts: {},
    flags: [],
  };
}

/** As events and answers show them, sorted by id, because a map in DynamoDB has no order. */
export function refundsOf({ refunds }: Payment): z.output<typeof refundSchema>[] {
  const known = Object.values(refunds).map((refund) => refundSchema.parse(refund));
  return known.sort((one, other) => (one.refundId < other.refundId ? -1 : 1));
}
