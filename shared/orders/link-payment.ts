import { raisedFlags, unionOfFlags } from "../facts/flags.ts";
import type { Amount } from "../money/amount.ts";
import type { Payment } from "./payment.ts";
import { inOrderCurrency, refundsExceedOrder } from "./refund-amounts.ts";

/** The order that a payment is linked to. `expected` is known after the first attempt to create the order. */
interface OrderToLink {
  readonly orderNo: string;
  readonly expected?: Amount | undefined;
}

/**
 * `linked`: the payment with its order, and whether its refunds contradict the order. `claimed`: the payment belongs
 * to another order and stays with it.
 */
export type Link =
  | { readonly kind: "linked"; readonly payment: Payment; readonly mismatch: boolean }
  | { readonly kind: "claimed" };

/** Refunds may have come before the payment was linked. The order gives them a currency and a limit. */
export function linkPayment(payment: Payment, { orderNo, expected }: OrderToLink): Link {
  const isOthers = payment.order !== undefined && payment.order.orderNo !== orderNo;
  if (isOthers || expected === undefined) return { kind: "claimed" };
  const linked = { ...payment, order: { orderNo, expected } };
  const reread = Object.entries(payment.refunds).map(([id, refund]) => {
    const { amount, readable } = inOrderCurrency(linked, refund.amount);
    return { id, refund: { ...refund, amount }, readable };
  });
  const refunds = Object.fromEntries(reread.map(({ id, refund }) => [id, refund]));
  const next = { ...linked, refunds };
  const mismatch = reread.some(({ readable }) => !readable) || refundsExceedOrder(next);
  const known = payment.flags.filter((flag) => flag !== "unknownOrder");
  const flags = unionOfFlags(known, raisedFlags({ mismatch }));
  return { kind: "linked", payment: { ...next, flags }, mismatch };
}
