import * as z from "zod/mini";
import { amountSchema, flags, paymentDetailsSchema, refundSchema } from "../orders/order.ts";
import { eventTypes, paymentStatuses, refundStatuses } from "./event-types.ts";

/** The version in it changes when a field changes its meaning or goes; new fields may come at any time. */
export const dataSchemaUri = "urn:paycast:schema:payment-event:1";

/** The order after the fact: a consumer may ignore a snapshot older than the one it has. */
const orderSnapshotSchema = z.object({
  orderNo: z.optional(z.string()),
  paymentIds: z.array(z.string()),
  status: z.enum(paymentStatuses),
  payment: paymentDetailsSchema,
  refunds: z.array(refundSchema),
  refundedAmount: z.optional(amountSchema),
  flags: z.array(z.enum(flags)),
});

const factSchema = z.object({
  merchantId: z.string(),
  orderNo: z.optional(z.string()),
  paymentId: z.optional(z.string()),
  refundId: z.optional(z.string()),
  refundNo: z.optional(z.string()),
  transactionId: z.optional(z.string()),
  status: z.enum([...paymentStatuses, ...refundStatuses]),
  amount: z.optional(z.union([amountSchema, z.object({ value: z.string() })])),
  reason: z.optional(z.string()),
  createdAt: z.optional(z.string()),
  completedAt: z.optional(z.string()),
  callbackId: z.optional(z.string()),
  flags: z.array(z.enum(flags)),
  order: orderSnapshotSchema,
});

/** A CloudEvents 1.0 event in structured JSON, one per SQS message. */
export const eventSchema = z.object({
  specversion: z.literal("1.0"),
  /** The fact's hash: the consumer's idempotency key. */
  id: z.string(),
  source: z.string(),
  type: z.enum(eventTypes),
  subject: z.optional(z.string()),
  time: z.string(),
  datacontenttype: z.literal("application/json"),
  dataschema: z.string(),
  /** The snapshot's version as ten digits, so that text order is number order. */
  sequence: z.string().check(z.regex(/^\d{10}$/)),
  origin: z.enum(["callback", "query"]),
  traceparent: z.string(),
  data: factSchema,
});

export type PaycastEvent = z.output<typeof eventSchema>;
