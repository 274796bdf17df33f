import { isPaid } from "../facts/event-types.ts";
import { raisedFlags, unionOfFlags } from "../facts/flags.ts";
import { dueAtOnce, isOpen } from "./due.ts";
import { hasRefundBeforePayment, isMoneyReturned } from "./known-refunds.ts";
import type { Order } from "./order.ts";
import type { Payment } from "./payment.ts";

/** The order with the status of a refund that a query returned. If it is the first one, the order is due at once. */
export function noteRefundAnswer(before: Order, noted: Order, nowMilliseconds: number): Order {
  const isFirst = before.refundReport === undefined && hasRefundBeforePayment(noted, []);
  return isFirst ? dueAtOnce(noted, nowMilliseconds) : noted;
}

/**
 * The order after a check that did not show it as paid. `asked` and `payments` are as they were before the check. A
 * refund that was known then contradicts the order. A refund that the check itself found makes the order due at once,
 * and contradicts it only if it has ended.
 */
export function noteUnpaid(
  asked: Order,
  payments: readonly Payment[],
  checked: Order,
  nowMilliseconds: number,
): Order {
  if (isPaid(checked.status)) return checked;
  const noted = noteRefundAnswer(asked, checked, nowMilliseconds);
  const isKnown = isMoneyReturned(isOpen(checked) ? asked : checked, payments);
  if (!isKnown || noted.isUnpaidDespiteRefund === true) return noted;
  const flags = unionOfFlags(noted.flags, raisedFlags({ mismatch: true }));
  return { ...noted, flags, isUnpaidDespiteRefund: true };
}
