import { type Amount, addAmounts } from "../money/amount.ts";
import type { Order } from "./order.ts";

/** What has been refunded so far, where all of it is known in the payment's currency. */
export function refundedTotal(order: Order): Amount | undefined {
  const currency = order.payment.amount?.currency ?? order.expected?.amount.currency;
  if (currency === undefined) return undefined;
  const amounts = Object.values(order.refunds)
    .filter((refund) => refund.status === "refund_success")
    .flatMap(({ amount }) => (amount !== undefined && "currency" in amount ? [amount] : []))
    .filter((amount) => amount.currency === currency);
  return addAmounts(amounts, currency);
}

/** More went back than came in. */
export function refundsExceedPayment(order: Order): boolean {
  const paid = order.payment.amount ?? order.expected?.amount;
  const refunded = refundedTotal(order);
  if (paid === undefined || refunded === undefined) return false;
  return BigInt(refunded.minor) > BigInt(paid.minor);
}
