import { isPaid, isRefunded } from "../facts/event-types.ts";
import { addAmounts } from "../money/amount.ts";
import { attemptOf } from "./attempt-role.ts";
import { isOpen } from "./due.ts";
import { isMoneyReturned } from "./known-refunds.ts";
import type { Order, Success } from "./order.ts";
import { type Payment, refundedTotal, refundsOf } from "./payment.ts";

/**
 * Whether the refunds of a payment contradict its order: the order ended unpaid, or the refunds exceed what was paid.
 * While the order is open, its payment may still arrive.
 */
export function refundsContradict(payment: Payment, order: Order): boolean {
  const { order: link } = payment;
  if (link === undefined || link.orderNo !== order.orderNo || isOpen(order)) return false;
  const hasRefund = refundsOf(payment).some(({ status }) => isRefunded(status));
  if (!hasRefund || !isPaid(order.status)) return hasRefund;
  const paid = paidFor(order, payment.paymentId, link.expected.currency);
  const refunded = refundedTotal(payment);
  return refunded !== undefined && BigInt(refunded.minor) > BigInt(paid.minor);
}

/** Whether a fact ends the order in a way that contradicts refunds that are known already, by callback or query. */
export function endContradictsRefunds(
  before: Order,
  after: Order,
  payments: readonly Payment[],
): boolean {
  if (before.status === after.status || isOpen(after)) return false;
  const isUnpaid = !isPaid(after.status);
  return (
    payments.some((payment) => refundsContradict(payment, after)) ||
    (isUnpaid && isMoneyReturned(after, payments))
  );
}

/** What was paid for a payment. A success that could belong to any payment counts for each. */
function paidFor(order: Order, paymentId: string, currency: string) {
  const successes = order.successes.filter((success) => {
    const paidBy = paymentOf(order, success);
    return paidBy === undefined || paidBy === paymentId;
  });
  const amounts = successes.map(({ amount }) => amount);
  // A refund has the order's currency (§2.12), so amounts in another currency cannot be refunded.
  return addAmounts(
    amounts.filter((amount) => amount.currency === currency),
    currency,
  );
}

function paymentOf(order: Order, success: Success): string | undefined {
  return success.paymentId ?? attemptOf(order, success)?.paymentId;
}
