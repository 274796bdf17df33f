import * as z from "zod/mini";
import { isRefunded } from "../facts/event-types.ts";
import { aggregateKeyOf } from "../facts/subject.ts";
import { type Amount, addAmounts, readAmount } from "../money/amount.ts";
import { amountSchema, type Refund, refundReportSchema, refundSchema } from "./schemas.ts";

/**
 * The payment aggregate: the refunds of one payment and, once create-order has linked it, the order that it pays.
 * `revision` and `sequence` mean the same as in the order aggregate.
 */
export const paymentSchema = z.object({
  aggregateKey: z.string(),
  kind: z.literal("payment"),
  merchantId: z.string(),
  paymentId: z.string(),
  revision: z.int(),
  sequence: z.int(),
  refunds: z.record(z.string(), refundSchema),
  /** The last status of a refund that a callback reported. Absent if there is no refund. */
  refundReport: z.optional(refundReportSchema),
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

/** The refunds as events and responses show them, sorted by id because a map in DynamoDB has no order. */
export function refundsOf({ refunds }: Payment): z.output<typeof refundSchema>[] {
  const known = Object.values(refunds).map((refund) => refundSchema.parse(refund));
  return known.sort((left, right) => (left.refundId < right.refundId ? -1 : 1));
}

/**
 * A refund has the order's currency: §2.12 names none, and one that is sent is ignored. An amount with too many
 * decimals stays as sent.
 */
export function inOrderCurrency(
  payment: Payment,
  reported: Refund["amount"],
): { readonly amount: Refund["amount"]; readonly readable: boolean } {
  const currency = payment.order?.expected.currency;
  if (reported === undefined || currency === undefined) return { amount: reported, readable: true };
  try {
    return { amount: readAmount(reported.value, currency), readable: true };
  } catch {
    return { amount: reported, readable: false };
  }
}

/** The sum of the refunds whose amount is known in the order's currency. Undefined until the payment is linked. */
export function refundedTotal(payment: Payment): Amount | undefined {
  const currency = payment.order?.expected.currency;
  if (currency === undefined) return undefined;
  const amounts = refundsOf(payment)
    .filter((refund) => isRefunded(refund.status))
    .flatMap(({ amount }) => (amount?.currency !== undefined ? [amount] : []));
  return addAmounts(amounts, currency);
}
