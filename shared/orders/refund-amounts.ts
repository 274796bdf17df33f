import { type Amount, addAmounts, readAmount } from "../money/amount.ts";
import type { Payment } from "./payment.ts";
import { refundsOf } from "./payment.ts";
import type { Refund } from "./schemas.ts";

/** A refund tells no currency (§2.12): it is that of the order. One that does not fit its decimals stays as told. */
export function inOrderCurrency(
  payment: Payment,
  told: Refund["amount"],
): { readonly amount: Refund["amount"]; readonly readable: boolean } {
  const currency = payment.order?.expected.currency;
  if (told === undefined || currency === undefined) return { amount: told, readable: true };
  try {
    return { amount: readAmount(told.value, currency), readable: true };
  } catch {
    return { amount: told, readable: false };
  }
}

/** What has been refunded so far, of what is known in the order's currency. Unknown while nothing is linked. */
export function refundedTotal(payment: Payment): Amount | undefined {
  const currency = payment.order?.expected.currency;
  if (currency === undefined) return undefined;
  const amounts = refundsOf(payment)
    .filter((refund) => refund.status === "refund_success")
    .flatMap(({ amount }) => (amount !== undefined && "currency" in amount ? [amount] : []));
  return addAmounts(amounts, currency);
}

/** More went back than was to be paid. */
export function refundsExceedOrder(payment: Payment): boolean {
  const refunded = refundedTotal(payment);
  if (payment.order === undefined || refunded === undefined) return false;
  return BigInt(refunded.minor) > BigInt(payment.order.expected.minor);
}
