import * as z from "zod/mini";
import { paymentStatuses } from "../events/event-types.ts";
import { amountSchema, type Creation, flags, type Order, refundSchema } from "../orders/order.ts";
import { refundedTotal } from "../orders/refunded-total.ts";
import { optionalRfc3339 } from "../time/timestamp.ts";

/** An order as the storefront sees it. */
export const orderViewSchema = z.object({
  merchantId: z.string(),
  orderNo: z.optional(z.string()),
  paymentId: z.optional(z.string()),
  paymentIds: z.array(z.string()),
  status: z.enum(paymentStatuses),
  /** Where the status came from, and when. */
  statusOrigin: z.enum(["create", "callback", "query"]),
  statusAt: z.optional(z.string()),
  /** True if the service should have been asked and did not answer: the status is the last one known. */
  stale: z.boolean(),
  /** True while nobody knows whether the service has the order. */
  outcomeUnknown: z.boolean(),
  amount: z.optional(amountSchema),
  paidAmount: z.optional(amountSchema),
  transactionId: z.optional(z.string()),
  reason: z.optional(z.string()),
  checkoutUrl: z.optional(z.string()),
  createdAt: z.optional(z.string()),
  completedAt: z.optional(z.string()),
  expiresAt: z.optional(z.string()),
  refunds: z.array(refundSchema),
  refundedAmount: z.optional(amountSchema),
  flags: z.array(z.enum(flags)),
  sequence: z.int(),
});

export type OrderView = z.output<typeof orderViewSchema>;

export function viewOrder(order: Order, stale: boolean, nowMilliseconds: number): OrderView {
  const { create, payment, status } = order;
  return {
    merchantId: order.merchantId,
    orderNo: order.orderNo,
    paymentId: create?.paymentId ?? order.paymentIds.at(-1),
    paymentIds: order.paymentIds,
    status,
    statusOrigin: payment.origin ?? "create",
    statusAt: payment.learnedAt ?? optionalRfc3339(create?.startedAtMilliseconds),
    stale,
    outcomeUnknown: isOutcomeUnknown(order, nowMilliseconds),
    amount: order.expected?.amount ?? payment.amount,
    paidAmount: status === "success" ? payment.amount : undefined,
    transactionId: payment.transactionId,
    reason: payment.reason,
    checkoutUrl: create?.checkoutUrl,
    createdAt: payment.createdAt ?? optionalRfc3339(create?.startedAtMilliseconds),
    completedAt: payment.completedAt,
    expiresAt: optionalRfc3339(create?.expiresAtMilliseconds),
    refunds: Object.values(order.refunds),
    refundedAmount: refundedTotal(order),
    flags: order.flags,
    sequence: order.version,
  };
}

/** Created without an answer, and nothing has been heard of it since. */
function isOutcomeUnknown({ create, version }: Order, nowMilliseconds: number): boolean {
  if (create === undefined || version > 0) return false;
  return create.state === "unknown" || leaseRanOut(create, nowMilliseconds);
}

function leaseRanOut(create: Creation, nowMilliseconds: number): boolean {
  return create.state === "sending" && create.leaseEndsAtMilliseconds <= nowMilliseconds;
}
