import * as z from "zod/mini";
import { paymentStatuses } from "../facts/event-types.ts";
import { aggregateKeyOf } from "../facts/subject.ts";
import { type Amount, sameAmount } from "../money/amount.ts";
import { refusalSchema, stateSchema } from "./order-state.ts";
import { questionSchema } from "./question-state.ts";
import { amountSchema, paymentDetailsSchema, refundReportSchema } from "./schemas.ts";

/** A fact that does not determine the order's status for now. */
const reportedSchema = z.object({ status: z.enum(paymentStatuses), payment: paymentDetailsSchema });

/**
 * One call that tried to create the order at the service. `sending` changes to another state; after its deadline its
 * outcome is as unknown as in `unknown`. `incomplete` has a payment, and nothing with which the consumer could pay.
 * After `refused` the service has no such order.
 */
const attemptSchema = z.object({
  attemptId: z.string(),
  state: z.enum(["sending", "created", "incomplete", "refused", "unknown"]),
  startedAtMilliseconds: z.int(),
  /** How long an attempt that is `sending` may be waiting for the service. */
  untilMilliseconds: z.optional(z.int()),
  /** As sent (§2.3). Callbacks repeat it (§2.11), so it identifies the attempt. */
  paymentTimeMilliseconds: z.int(),
  paymentId: z.optional(z.string()),
  /** Why the service refused the latest attempt. */
  refusal: z.optional(refusalSchema),
  /** The latest fact about this attempt, while the order follows another one. */
  reported: z.optional(reportedSchema),
});

/** What create-order stores: the content of the order, and the payment that the consumer is sent to. */
const creationSchema = z.object({
  /** Of each field that was sent; content-digests.ts compares them. The first orders have none. */
  content: z.optional(z.record(z.string(), z.string())),
  channel: z.string(),
  /** The callback address that was sent to the service (§2.3). */
  callbackUrl: z.string(),
  expiresAtMilliseconds: z.int(),
  paymentId: z.optional(z.string()),
  checkoutUrl: z.optional(z.string()),
});

/** The fields that every published fact keeps as they were when it was stored. */
const publishedSchema = {
  /** Its id, and that of its event. */
  factId: z.string(),
  /** The attempt that it was ascribed to. Absent if it could be about none or several of them. */
  attemptId: z.optional(z.string()),
  origin: z.enum(["callback", "query"]),
  transactionId: z.optional(z.string()),
  /** What it stated about its attempt. */
  paymentId: z.optional(z.string()),
  paymentTimeMilliseconds: z.optional(z.int()),
  isPaymentTimeWholeSecond: z.optional(z.literal(true)),
};

/** A payment of the order that succeeded. With more than one, the consumer paid too much. */
const successSchema = z.object({ ...publishedSchema, amount: amountSchema });

/** A published fact without money. It is recognised when it is reported again, with or without its transaction. */
const statementSchema = z.object({
  ...publishedSchema,
  status: z.enum(paymentStatuses),
  /** What the consumer was asked to pay, if the fact named it. */
  amount: z.optional(amountSchema),
  /** The attempt, if it is part of the fact's identity. */
  attempt: z.optional(z.string()),
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
  /** How far the order is otherwise; order-moves.ts has its moves. */
  state: stateSchema,
  /** What is under way between Paycast and the service about the order; question.ts has its moves. */
  question: questionSchema,
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
  refundReport: z.optional(refundReportSchema),
  /** A query about a refund of this unpaid order did not show that it is paid. A notice says so. */
  isUnpaidDespiteRefund: z.optional(z.literal(true)),
  /** A query about the order returned a result that could not be read. Removed when the order's end is recorded. */
  hasUnreadableAnswer: z.optional(z.boolean()),
  /** The latest end that a query found, until a callback tells it. Only count-end.ts sets and removes it. */
  untoldEnd: z.optional(z.object({ factId: z.string(), learnedAtMilliseconds: z.int() })),
  /** Oldest first. */
  attempts: z.array(attemptSchema),
  /** The latest fact that could be about several attempts. */
  untraced: z.optional(reportedSchema),
  /** When the order is checked next. The index by due time needs both; only due.ts sets and removes them. */
  dueShard: z.optional(z.string()),
  dueAtMilliseconds: z.optional(z.int()),
  /** The checks in a row that failed. Removed by a response, and when the order's state changes. */
  failedChecks: z.optional(z.int()),
  /** When a run with time to spare may query the order before it expires. Removed when the order is no longer open. */
  earlyAtMilliseconds: z.optional(z.int()),
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
    state: { kind: "new" },
    question: { kind: "none" },
    payment: {},
    facts: {},
    flags: [],
    successes: [],
    statements: [],
    paymentIds: [],
    attempts: [],
  };
}

/** Whether an amount is the one that create-order was asked to collect. */
export function isExpected({ expected }: Order, amount: Amount | undefined): boolean {
  return expected !== undefined && amount !== undefined && sameAmount(expected, amount);
}
