import * as z from "zod/mini";
import { paymentStatuses, type RefundStatus, refundStatuses } from "../facts/event-types.ts";
import { aggregateKeyOf } from "../facts/subject.ts";
import { type Amount, sameAmount } from "../money/amount.ts";
import { amountSchema, paymentDetailsSchema } from "./schemas.ts";

/** A fact that does not determine the order's status for now. */
const reportedSchema = z.object({ status: z.enum(paymentStatuses), payment: paymentDetailsSchema });

/**
 * One call that tried to create the order at the service. `sending` changes to another state; if its lease has ended,
 * its outcome is as unknown as in `unknown`. After `refused` the service has no such order.
 */
const attemptSchema = z.object({
  attemptId: z.string(),
  state: z.enum(["sending", "created", "refused", "unknown"]),
  startedAtMilliseconds: z.int(),
  /** As sent (§2.3). Callbacks repeat it (§2.11), so it identifies the attempt. */
  paymentTimeMilliseconds: z.int(),
  paymentId: z.optional(z.string()),
  /** The latest fact about this attempt, while the order follows another one. */
  reported: z.optional(reportedSchema),
});

/** What create-order stores: the content of the order, and the payment that the consumer is sent to. */
const creationSchema = z.object({
  contentHash: z.string(),
  channel: z.string(),
  /** The callback address that was sent to the service (§2.3). */
  callbackUrl: z.string(),
  expiresAtMilliseconds: z.int(),
  /** Until then the latest attempt may be waiting for the service. */
  leaseEndsAtMilliseconds: z.int(),
  paymentId: z.optional(z.string()),
  checkoutUrl: z.optional(z.string()),
  /** The service's last refusal, returned to an immediate repeat. */
  refusal: z.optional(z.object({ code: z.string(), msg: z.string(), atMilliseconds: z.int() })),
});

/** A payment of the order that succeeded. With more than one, the consumer paid too much. */
const successSchema = z.object({
  amount: amountSchema,
  transactionId: z.optional(z.string()),
  /** These fields distinguish it from a success of another attempt. */
  paymentId: z.optional(z.string()),
  paymentTimeMilliseconds: z.optional(z.int()),
  isPaymentTimeWholeSecond: z.optional(z.literal(true)),
});

/** A published fact without money. It is recognised when it is reported again, with or without its transaction. */
const statementSchema = z.object({
  status: z.enum(paymentStatuses),
  transactionId: z.optional(z.string()),
  /** The attempt, if it is part of the fact's identity. */
  attempt: z.optional(z.string()),
  /** Only if the order was created elsewhere. These fields are then all that identifies its attempts. */
  paymentId: z.optional(z.string()),
  paymentTimeMilliseconds: z.optional(z.int()),
  isPaymentTimeWholeSecond: z.optional(z.literal(true)),
});

/**
 * The order aggregate: the facts of an order's payment, and how it was created. Refunds are stored with their payments.
 * `revision` grows with every write and is the lock; `sequence` counts the published facts.
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
  /** A newer version may have stored flags that this one does not know. */
  flags: z.array(z.string()),
  successes: z.array(successSchema),
  statements: z.array(statementSchema),
  /** Every payment that the service returned for the order, or that was queried for it. */
  paymentIds: z.array(z.string()),
  /** The amount that create-order was asked to collect. */
  expected: z.optional(amountSchema),
  creation: z.optional(creationSchema),
  /** The last refund status that a query returned in place of the payment's own status (§3.2). */
  refundStatus: z.optional(z.enum(refundStatuses)),
  /** A callback about the order arrived but could not be understood. It shows that the service has the order. */
  hasQuarantinedCallback: z.optional(z.boolean()),
  /** A query about the order returned a result that could not be read. Removed when the order's end is recorded. */
  hasUnreadableAnswer: z.optional(z.boolean()),
  /** The last check confirmed that the order ended unpaid. Only due.ts sets and removes it. */
  isEndConfirmed: z.optional(z.boolean()),
  /** Oldest first. */
  attempts: z.array(attemptSchema),
  /** The latest fact that could be about several attempts. */
  untraced: z.optional(reportedSchema),
  /** The latest query to the service. No other query is sent before `endsAtMilliseconds`. */
  query: z.optional(
    z.object({
      endsAtMilliseconds: z.int(),
      answered: z.boolean(),
      /** A random number of the caller. Without it, two callers in the same millisecond would write equal items. */
      by: z.optional(z.int()),
      /** The id of the fact in the result, if it is still in the inbox. The order is current when it has this fact. */
      awaits: z.optional(z.string()),
    }),
  ),
  /** When the order is checked next. The index by due time needs both; only due.ts sets and removes them. */
  dueShard: z.optional(z.string()),
  dueAtMilliseconds: z.optional(z.int()),
  /** When Paycast first stored the order, for the index by day. Set once, by day.ts. */
  dayShard: z.optional(z.string()),
  dayPlace: z.optional(z.string()),
});

export type Order = z.output<typeof orderSchema>;
export type Creation = z.output<typeof creationSchema>;
export type Attempt = z.output<typeof attemptSchema>;
export type Success = z.output<typeof successSchema>;
export type Statement = z.output<typeof statementSchema>;

/** An order that is not stored yet. */
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
    statements: [],
    paymentIds: [],
    attempts: [],
  };
}

/**
 * The service's refusal, if it refused to create the order and has not reported on it: its number is free again.
 * Undefined if nothing could be sent, because nobody refused it then.
 */
export function refusalOf(order: Order): Creation["refusal"] {
  return isFree(order) ? order.creation?.refusal : undefined;
}

/** Whether every attempt ended without an order at the service, and the service has not reported on it. */
export function isFree(order: Order): boolean {
  if (order.creation === undefined || isKnownToService(order) || order.paymentIds.length > 0)
    return false;
  return order.attempts.every(({ state }) => state === "refused");
}

/** Whether the service has reported on the order, in a callback or a query: it exists there. */
export function isKnownToService({ sequence, hasQuarantinedCallback }: Order): boolean {
  return sequence > 0 || hasQuarantinedCallback === true;
}

/** Whether an amount is the one that create-order was asked to collect. */
export function isExpected({ expected }: Order, amount: Amount | undefined): boolean {
  return expected !== undefined && amount !== undefined && sameAmount(expected, amount);
}

/** Returns the identical object if there is no refund status, or the order has it already. */
export function withRefundStatus(order: Order, refundStatus: RefundStatus | undefined): Order {
  const isKnown = refundStatus === undefined || order.refundStatus === refundStatus;
  return isKnown ? order : { ...order, refundStatus };
}
