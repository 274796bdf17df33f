import * as z from "zod/mini";
import { paymentStatuses } from "../facts/event-types.ts";
import { flags } from "../facts/flags.ts";
import { aggregateKeyOf } from "../facts/subject.ts";
import { amountSchema, paymentDetailsSchema } from "./schemas.ts";

/**
 * One call that tried to create the order at the service. `sending` ends as one of the others; if its lease has
 * run out, nobody knows what came of it, as in `unknown`. After `refused` the service has no such order.
 */
const attemptSchema = z.object({
  attemptId: z.string(),
  state: z.enum(["sending", "created", "refused", "unknown"]),
  startedAtMilliseconds: z.int(),
  /** As sent (§2.3). Callbacks repeat it (§2.11), which tells attempts apart. */
  paymentTimeMilliseconds: z.int(),
  paymentId: z.optional(z.string()),
  /** The latest fact about this attempt, where the order follows another one. */
  told: z.optional(z.object({ status: z.enum(paymentStatuses), payment: paymentDetailsSchema })),
});

/** What create-order knows of the order: its content, and the payment that the consumer is sent to. */
const creationSchema = z.object({
  contentHash: z.string(),
  channel: z.string(),
  expiresAtMilliseconds: z.int(),
  /** Until then the latest attempt may still be talking to the service. */
  leaseEndsAtMilliseconds: z.int(),
  paymentId: z.optional(z.string()),
  checkoutUrl: z.optional(z.string()),
  /** What the service said when it last refused, for a repeat that comes at once. */
  refusal: z.optional(z.object({ code: z.string(), msg: z.string(), atMilliseconds: z.int() })),
});

/** A payment of the order that succeeded. More than one is one too many. */
const successSchema = z.object({
  amount: amountSchema,
  transactionId: z.optional(z.string()),
  /** By these it is told from a success of another attempt. */
  paymentId: z.optional(z.string()),
  paymentTimeMilliseconds: z.optional(z.int()),
});

/**
 * The order aggregate: the facts of an order's payment, and how it was created. Its refunds live with their
 * payments. `revision` grows with every write and is the lock; `sequence` counts the facts that were published.
 */
export const orderSchema = z.object({
  aggregateKey: z.string(),
  kind: z.literal("order"),
  merchantId: z.string(),
  orderNo: z.string(),
  revision: z.int(),
  sequence: z.int(),
  status: z.enum(paymentStatuses),
  payment: paymentDetailsSchema,
  /** The id of each published fact, and the sequence it was published with. */
  facts: z.record(z.string(), z.int()),
  flags: z.array(z.enum(flags)),
  successes: z.array(successSchema),
  /** Every payment that the service ever returned for it, or was asked about. */
  paymentIds: z.array(z.string()),
  /** The amount that create-order was asked to collect. */
  expected: z.optional(amountSchema),
  creation: z.optional(creationSchema),
  /** A callback of it came that could not be understood: the service has the order. */
  isHeardOf: z.optional(z.boolean()),
  /** Oldest first. */
  attempts: z.array(attemptSchema),
  /** The latest question to the service: nobody asks again before its time is over. */
  query: z.optional(z.object({ endsAtMilliseconds: z.int(), answered: z.boolean() })),
});

export type Order = z.output<typeof orderSchema>;
export type Creation = z.output<typeof creationSchema>;
export type Attempt = z.output<typeof attemptSchema>;
export type Success = z.output<typeof successSchema>;

/** An order of which nothing is stored yet. */
export function newOrder(merchantId: string, orderNo: string): Order {
  return {
    aggregateKey: aggregateKeyOf({ kind: "order", merchantId, orderNo }),
    kind: "order",
    merchantId,
    orderNo,
    revision: 0,
    sequence: 0,
    status: "pending",
    payment: {},
    facts: {},
    flags: [],
    successes: [],
    paymentIds: [],
    attempts: [],
  };
}

/** Whether the service has told of the order, by a callback or an answer: then it has the order. */
export function isTold({ sequence, isHeardOf }: Order): boolean {
  return sequence > 0 || isHeardOf === true;
}
