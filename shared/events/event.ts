import * as z from "zod/mini";
import {
  orderEventTypes,
  paymentStatuses,
  refundEventTypes,
  refundStatuses,
} from "../facts/event-types.ts";
import { flags } from "../facts/flags.ts";
import {
  amountSchema,
  paymentDetailsSchema,
  refundAmountSchema,
  refundSchema,
} from "../orders/schemas.ts";

/** The `$id` of the JSON Schema of `data`. docs/versioning.md says when its version changes. */
export const orderEventSchemaUri = "urn:paycast:schema:payment-order-event:1";
export const refundEventSchemaUri = "urn:paycast:schema:payment-refund-event:1";

const stated = {
  merchantId: z.string(),
  transactionId: z.optional(z.string()),
  reason: z.optional(z.string()),
  createdAt: z.optional(z.string()),
  completedAt: z.optional(z.string()),
  /** As the service wrote it. */
  callbackId: z.optional(z.string()),
  /** The flags of this fact; the snapshot has the flags of all facts. */
  flags: z.array(z.enum(flags)),
};

/** The order after the fact: a consumer may ignore a snapshot older than the one it has. */
export const orderSnapshotSchema = z.object({
  orderNo: z.string(),
  status: z.enum(paymentStatuses),
  expectedAmount: z.optional(amountSchema),
  payment: paymentDetailsSchema,
  paymentIds: z.array(z.string()),
  flags: z.array(z.enum(flags)),
});

/** The payment after the fact, with all its refunds. */
export const paymentSnapshotSchema = z.object({
  paymentId: z.string(),
  orderNo: z.optional(z.string()),
  refunds: z.array(refundSchema),
  refundedAmount: z.optional(amountSchema),
  flags: z.array(z.enum(flags)),
});

export const orderEventDataSchema = z.object({
  ...stated,
  orderNo: z.string(),
  paymentId: z.optional(z.string()),
  status: z.enum(paymentStatuses),
  amount: z.optional(amountSchema),
  order: orderSnapshotSchema,
});

export const refundEventDataSchema = z.object({
  ...stated,
  paymentId: z.string(),
  refundId: z.string(),
  refundNo: z.optional(z.string()),
  /** Present if the payment is linked to an order. */
  orderNo: z.optional(z.string()),
  status: z.enum(refundStatuses),
  amount: z.optional(refundAmountSchema),
  payment: paymentSnapshotSchema,
});

const envelope = {
  specversion: z.literal("1.0"),
  /** The fact's hash: the consumer's idempotency key. */
  id: z.string(),
  source: z.string(),
  subject: z.optional(z.string()),
  time: z.string(),
  datacontenttype: z.literal("application/json"),
  /** The aggregate's hash: the FIFO group, and the scope of the sequence. */
  partitionkey: z.string(),
  /** Ten digits, so that sorting as text is sorting by number. */
  sequence: z.string().check(z.regex(/^\d{10}$/)),
  origin: z.enum(["callback", "query"]),
  traceparent: z.string(),
};

export const orderEventSchema = z.object({
  ...envelope,
  type: z.enum(orderEventTypes),
  dataschema: z.literal(orderEventSchemaUri),
  data: orderEventDataSchema,
});

const refundEventSchema = z.object({
  ...envelope,
  type: z.enum(refundEventTypes),
  dataschema: z.literal(refundEventSchemaUri),
  data: refundEventDataSchema,
});

/** A CloudEvents 1.0 event in structured JSON, one per SQS message. `type` distinguishes the two shapes. */
export const eventSchema = z.discriminatedUnion("type", [orderEventSchema, refundEventSchema]);

export type PaycastEvent = z.output<typeof eventSchema>;
export type OrderEventData = z.output<typeof orderEventDataSchema>;
export type RefundEventData = z.output<typeof refundEventDataSchema>;
