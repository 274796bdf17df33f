import { decimalText } from "../orders/money.ts";
import { type Order, refundable } from "../orders/order.ts";

/** An order as plain JSON, with amounts as decimal strings, for the control API and for tests. */
export function orderView(order: Order, checkoutUrl: string, simulatedNowMilliseconds: number) {
  return {
    paymentId: order.paymentId,
    merchantId: order.merchant.merchantId,
    orderNo: order.orderNo,
    status: order.status,
    amount: decimalText(order.amount),
    currency: order.amount.currency,
    refundable: decimalText(refundable(order)),
    transactionId: order.transactionId,
    msg: order.msg,
    checkoutUrl,
    callbackUrl: order.callbackUrl,
    redirectUrl: order.redirectUrl,
    paymentExpiryTimeMilliseconds: order.paymentExpiryTimeMilliseconds,
    expiresInSeconds: secondsUntil(order.expiresMilliseconds, simulatedNowMilliseconds),
    refunds: order.refunds.map(
      ({ amount, outcome: _outcome, dueMilliseconds: _due, ...refund }) => ({
        ...refund,
        amount: decimalText(amount),
      }),
    ),
    callbacks: order.callbacks.map(({ nextAttemptMilliseconds, ...callback }) => ({
      ...callback,
      attempts: [...callback.attempts],
      nextAttemptInSeconds:
        nextAttemptMilliseconds === undefined
          ? undefined
          : secondsUntil(nextAttemptMilliseconds, simulatedNowMilliseconds),
    })),
  };
}

function secondsUntil(milliseconds: number, nowMilliseconds: number): number {
  return Math.max(0, Math.round((milliseconds - nowMilliseconds) / 1000));
}
