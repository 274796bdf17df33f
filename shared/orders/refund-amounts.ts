import { type Amount, addAmounts, readAmount } from "../money/amount.ts";
import type { Payment } from "./payment.ts";
import { refundsOf } from "./payment.ts";
import type { Refund } from "./schemas.ts";

/** A refund has the order's currency (§2.12 names none). An amount with too many decimals stays as sent. */
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

/** The sum of the refunds whose amount is known in the order's currency. Undefined until the payment is linked. */
export function refundedTotal(payment: Payment): Amount | undefined {
  const currency = payment.order?.expected.currency;
  if (currency === undefined) return undefined;
  const amounts = refundsOf(payment)
    .filter((refund) => refund.status === "refund_success")
    .flatMap(({ amount }) => (amount?.currency !== undefined ? [amount] : []));
  return addAmounts(amounts, currency);
}

/** Whether more was refunded than was to be paid. */
export function refundsExceedOrder(payment: Payment): boolean {
  const refunded = refundedTotal(payment);
  if (payment.order === undefined || refunded === undefined) return false;
  return BigInt(refunded.minor) > BigInt(payment.order.expected.minor);
}
