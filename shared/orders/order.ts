import * as z from "zod/mini";
import { paymentStatuses, refundStatuses } from "../events/event-types.ts";

/** What a consumer or an operator should know of a fact beside what it says. */
export const flags = [
  "late",
  "regressed",
  "duplicatePayment",
  "mismatch",
  "conflict",
  "unknownOrder",
] as const;
export type Flag = (typeof flags)[number];

export const amountSchema = z.object({
  value: z.string(),
  minor: z.string(),
  currency: z.string(),
});

/** A refund whose payment is unknown has no currency, and so no minor units. */
const refundAmountSchema = z.union([amountSchema, z.object({ value: z.string() })]);

const toldDetails = {
  transactionId: z.optional(z.string()),
  reason: z.optional(z.string()),
  createdAt: z.optional(z.string()),
  completedAt: z.optional(z.string()),
};

export const paymentDetailsSchema = z.object({
  ...toldDetails,
  amount: z.optional(amountSchema),
  /** How and when the status became known; absent while it is as created. */
  origin: z.optional(z.enum(["callback", "query"])),
  learnedAt: z.optional(z.string()),
});

export const refundSchema = z.object({
  ...toldDetails,
  refundId: z.string(),
  paymentId: z.string(),
  refundNo: z.optional(z.string()),
  status: z.enum(refundStatuses),
  amount: z.optional(refundAmountSchema),
});

/**
 * How far creating it at the service has come. `sending` holds a lease: when that has run out and nothing
 * was stored, the outcome is as unknown as in `unknown`. After `refused` nothing exists at the service.
 */
const creationSchema = z.object({
  state: z.enum(["sending", "created", "refused", "unknown"]),
  /** Whose attempt it is. */
  attempt: z.optional(z.string()),
  contentHash: z.string(),
  leaseEndsAtMilliseconds: z.int(),
  startedAtMilliseconds: z.int(),
  expiresAtMilliseconds: z.int(),
  channel: z.string(),
  paymentId: z.optional(z.string()),
  checkoutUrl: z.optional(z.string()),
});

/**
 * An order as the table holds it. `version` counts the facts applied. `facts` maps each fact's id to the
 * sequence it was published with. `behind` lists `subscriber#sequence` for events that a subscriber has not
 * got yet: later events of this order wait for them. `expected` is what create-order stored.
 */
export const orderSchema = z.object({
  orderKey: z.string(),
  merchantId: z.string(),
  orderNo: z.optional(z.string()),
  version: z._default(z.int(), 0),
  status: z._default(z.enum(paymentStatuses), "pending"),
  payment: z._default(paymentDetailsSchema, {}),
  refunds: z._default(z.record(z.string(), refundSchema), {}),
  facts: z._default(z.record(z.string(), z.int()), {}),
  flags: z._default(z.array(z.enum(flags)), []),
  paymentIds: z._default(z.array(z.string()), []),
  /** Transactions that paid it; more than one is one too many. */
  paidBy: z._default(z.array(z.string()), []),
  behind: z._default(z.array(z.string()), []),
  expected: z.optional(z.object({ amount: amountSchema })),
  create: z.optional(creationSchema),
  /** The state of the creation before the latest one. */
  stateBefore: z.optional(z.string()),
  /** When the service was last asked about it, and when it last was without an answer. */
  queriedAtMilliseconds: z.optional(z.int()),
  queryFailedAtMilliseconds: z.optional(z.int()),
  /** On a payment's item: the order it belongs to, once create-order has told. */
  linkedTo: z.optional(z.string()),
});

export type Order = z.output<typeof orderSchema>;
export type Refund = z.output<typeof refundSchema>;
export type Creation = z.output<typeof creationSchema>;

export function orderKeyOf(merchantId: string, orderNo: string): string {
  return `${merchantId}#order#${orderNo}`;
}

/** The pointer from a payment to its order; until it points, the payment's refunds are kept in it. */
export function paymentKeyOf(merchantId: string, paymentId: string): string {
  return `${merchantId}#payment#${paymentId}`;
}

export function newOrder(orderKey: string, merchantId: string, orderNo?: string): Order {
  return orderSchema.parse({ orderKey, merchantId, orderNo });
}

/** The service would not have it, and nothing has been heard of it since: its number is free. */
export function isRefused({ create, version, paymentIds }: Order): boolean {
  return create?.state === "refused" && version === 0 && paymentIds.length === 0;
}
