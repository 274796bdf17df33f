import { decimalText } from "./money.ts";
import { type Order, refundable } from "./order.ts";

/** An order as the control API and the library show it: plain JSON, amounts as decimal strings. */
export function orderView(order: Order, checkoutUrl: string, simulatedNowMs: number) {
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
    expiresInSeconds: secondsUntil(order.expiresMs, simulatedNowMs),
    refunds: order.refunds.map(({ amount, ...refund }) => ({
      ...refund,
      amount: decimalText(amount),
    })),
    callbacks: order.callbacks.map(({ nextAttemptMs, ...callback }) => ({
      ...callback,
      attempts: [...callback.attempts],
      nextAttemptInSeconds:
        nextAttemptMs === undefined ? undefined : secondsUntil(nextAttemptMs, simulatedNowMs),
    })),
  };
}

export type OrderView = ReturnType<typeof orderView>;

function secondsUntil(ms: number, nowMs: number): number {
  return Math.max(0, Math.round((ms - nowMs) / 1000));
}
