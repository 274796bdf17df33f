import * as z from "zod/mini";
import { refundStatuses } from "../facts/event-types.ts";

/** Schemas that tables, events and the storefront's responses share. */
export const amountSchema = z.object({
  value: z.string(),
  minor: z.string(),
  currency: z.string(),
});

/** Names the other fields only to reject them: a broken amount must not pass for one without a currency. */
const amountWithoutCurrencySchema = z.object({
  value: z.string(),
  minor: z.optional(z.never()),
  currency: z.optional(z.never()),
});

/** A refund of a payment that is not linked has no currency and therefore no minor units. */
export const refundAmountSchema = z.union([amountSchema, amountWithoutCurrencySchema]);

const details = {
  transactionId: z.optional(z.string()),
  reason: z.optional(z.string()),
  createdAt: z.optional(z.string()),
  completedAt: z.optional(z.string()),
};

/** The fact that determined an order's status. */
export const paymentDetailsSchema = z.object({
  ...details,
  amount: z.optional(amountSchema),
  /** How and when the status became known. Absent until the first fact. */
  origin: z.optional(z.enum(["callback", "query"])),
  learnedAt: z.optional(z.string()),
});

/** Events and responses have the fields in this order. */
export const refundSchema = z.object({
  refundId: z.string(),
  paymentId: z.string(),
  refundNo: z.optional(z.string()),
  status: z.enum(refundStatuses),
  amount: z.optional(refundAmountSchema),
  ...details,
});

/** The status of a refund, and when it became known. */
export const refundReportSchema = z.object({
  status: z.enum(refundStatuses),
  learnedAt: z.string(),
});

export type RefundReport = z.output<typeof refundReportSchema>;
export type PaymentDetails = z.output<typeof paymentDetailsSchema>;
export type Refund = z.output<typeof refundSchema>;
