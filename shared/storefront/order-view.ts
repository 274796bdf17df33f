import * as z from "zod/mini";
import {
  isPaid,
  paymentStatuses,
  type RefundStatus,
  refundStatuses,
  returnsMoney,
} from "../facts/event-types.ts";
import { type Flag, flags, knownFlags } from "../facts/flags.ts";
import type { RefundAnswer } from "../facts/read-refund-answer.ts";
import type { PaymentResult } from "../facts/read-result.ts";
import { isSecureAddress } from "../http/web-address.ts";
import { type Amount, addAmounts } from "../money/amount.ts";
import {
  hasRefundBeforePayment,
  isPaymentOf,
  latestRefundStatus,
} from "../orders/known-refunds.ts";
import type { Order } from "../orders/order.ts";
import { type Payment, refundedTotal, refundsOf } from "../orders/payment.ts";
import { amountSchema, refundSchema } from "../orders/schemas.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";

/** A payment of an order. Its events have their own sequence. */
export const orderPaymentSchema = z.object({ paymentId: z.string(), sequence: z.int() });

/** `refused` is Paycast's own status: the service refused to create the order and has not reported on it since. */
export const orderStatuses = [...paymentStatuses, "refused"] as const;

/** What the payment service itself said. */
export const serviceRefusalSchema = z.object({ code: z.string(), msg: z.string() });

/** An order as the storefront API returns it: the order aggregate, joined with its payments. */
export const orderViewSchema = z.object({
  merchantId: z.string(),
  orderNo: z.optional(z.string()),
  channel: z.optional(z.string()),
  status: z.enum(orderStatuses),
  /** The source and the time of the status. */
  statusOrigin: z.enum(["create", "callback", "query"]),
  statusAt: z.optional(z.string()),
  /** False only if the service confirmed the status, or if it is settled, and no refund contradicts it. */
  stale: z.boolean(),
  /** True while it is unknown whether the service has the order. */
  outcomeUnknown: z.boolean(),
  amount: z.optional(amountSchema),
  paidAmount: z.optional(amountSchema),
  transactionId: z.optional(z.string()),
  reason: z.optional(z.string()),
  /** The service's code and message, if the status is `refused`. */
  service: z.optional(serviceRefusalSchema),
  paymentId: z.optional(z.string()),
  checkoutUrl: z.optional(z.string()),
  /** The callback address that was sent to the service. */
  callbackUrl: z.optional(z.string()),
  createdAt: z.optional(z.string()),
  completedAt: z.optional(z.string()),
  expiresAt: z.optional(z.string()),
  refunds: z.array(refundSchema),
  refundedAmount: z.optional(amountSchema),
  /** The latest refund status, by callback or query. `refunds` has what callbacks reported. */
  refundStatus: z.optional(z.enum(refundStatuses)),
  flags: z.array(z.enum(flags)),
  /** The number of published facts of the order itself. Refunds count with their payments. */
  sequence: z.int(),
  payments: z.array(orderPaymentSchema),
});

export type OrderView = z.output<typeof orderViewSchema>;

export interface Freshness {
  readonly stale: boolean;
  readonly nowMilliseconds: number;
}

export function viewOrder(
  order: Order,
  found: readonly Payment[],
  { stale, nowMilliseconds }: Freshness,
): OrderView {
  const { creation, payment, status, attempts, state } = order;
  const refusal = state.kind === "refused" ? state : undefined;
  const payments = found.filter((candidate) => isPaymentOf(candidate, order));
  const refundStatus = latestRefundStatus(order, payments);
  const latest = attempts.at(-1);
  return {
    merchantId: order.merchantId,
    orderNo: order.orderNo,
    channel: creation?.channel,
    status: statusOf(order),
    statusOrigin: payment.origin ?? "create",
    statusAt:
      payment.learnedAt ??
      optionalRfc3339(refusal?.atMilliseconds ?? latest?.startedAtMilliseconds),
    stale: stale || hasRefundBeforePayment(order, payments),
    outcomeUnknown: isOutcomeUnknown(order, nowMilliseconds),
    amount: order.expected ?? payment.amount,
    paidAmount: isPaid(status) ? payment.amount : undefined,
    transactionId: payment.transactionId,
    reason: payment.reason,
    service: refusal && { code: refusal.code, msg: refusal.msg },
    paymentId: paymentToAsk(order),
    checkoutUrl: checkoutUrlOf(order, refundStatus, nowMilliseconds),
    callbackUrl: creation?.callbackUrl,
    // The time that was sent. The service repeats it, perhaps without milliseconds.
    createdAt: payment.createdAt ?? optionalRfc3339(latest?.paymentTimeMilliseconds),
    completedAt: payment.completedAt,
    expiresAt: optionalRfc3339(creation?.expiresAtMilliseconds),
    ...refundFields(payments),
    refundStatus,
    flags: knownFlags([order, ...payments].flatMap((aggregate) => aggregate.flags)),
    sequence: order.sequence,
  };
}

/** Only while the consumer may pay. A payment with a refund was paid, so nobody must pay it again. */
function checkoutUrlOf(
  { status, creation }: Order,
  refundStatus: RefundStatus | undefined,
  nowMilliseconds: number,
): string | undefined {
  if (creation?.checkoutUrl === undefined || status !== "pending") return undefined;
  const { checkoutUrl, expiresAtMilliseconds } = creation;

  const mayPay = nowMilliseconds < expiresAtMilliseconds && refundStatus === undefined;
  return mayPay && isSecureAddress(checkoutUrl) ? checkoutUrl : undefined;
}

/** The status that people and shops see. */
export function statusOf({ state, status }: Order): OrderView["status"] {
  return state.kind === "refused" ? "refused" : status;
}

/** A payment that the service knows and that was not created here. It is returned but not stored. */
export function viewForeignPayment(
  payment: Payment,
  answer: PaymentResult | RefundAnswer,
  nowMilliseconds: number,
): OrderView {
  const { noted, ...answered } = "state" in answer ? foreignPayment(answer) : foreignRefund(answer);
  return {
    merchantId: payment.merchantId,
    statusOrigin: "query",
    statusAt: toRfc3339(nowMilliseconds),
    // A callback has reported a refund, so the payment was paid.
    stale: !isPaid(answered.status) && payment.refundReport !== undefined,
    outcomeUnknown: false,
    refundStatus: payment.refundReport?.status,
    ...answered,
    paymentId: payment.paymentId,
    ...refundFields([payment]),
    flags: knownFlags([...payment.flags, ...noted, "unknownOrder"]),
    sequence: 0,
  };
}

function foreignPayment({ orderNo, state, details }: PaymentResult) {
  return {
    orderNo,
    status: state.status,
    amount: state.amount,
    paidAmount: isPaid(state.status) ? state.amount : undefined,
    transactionId: details.transactionId,
    reason: details.reason,
    createdAt: optionalRfc3339(details.createdAtMilliseconds),
    completedAt: optionalRfc3339(details.completedAtMilliseconds),
    noted: details.noted,
  };
}

/** It was paid. The amount is uncertain, because it may be the refund's. */
function foreignRefund({ refundStatus, amount, reason }: RefundAnswer) {
  const noted: readonly Flag[] = returnsMoney(refundStatus) ? ["refunded"] : [];
  return { status: "success" as const, amount, reason, refundStatus, noted };
}

/** The payment that the consumer is sent to, or else the latest known one. */
export function paymentToAsk({ creation, paymentIds }: Order): string | undefined {
  return creation?.paymentId ?? paymentIds.at(-1);
}

function refundFields(payments: readonly Payment[]) {
  return {
    refunds: payments.flatMap(refundsOf),
    refundedAmount: sumOf(payments.flatMap((payment) => refundedTotal(payment) ?? [])),
    payments: payments.map(({ paymentId, sequence }) => ({ paymentId, sequence })),
  };
}

function sumOf(amounts: readonly Amount[]): Amount | undefined {
  const [first] = amounts;
  return first && addAmounts(amounts, first.currency);
}

/** The order was sent without a response, and the service has not reported on it since. */
function isOutcomeUnknown({ state, attempts }: Order, nowMilliseconds: number): boolean {
  const until = attempts.at(-1)?.untilMilliseconds ?? Number.POSITIVE_INFINITY;
  const isLate = state.kind === "sending" && until <= nowMilliseconds;
  return isLate || state.kind === "outcome-unknown";
}
