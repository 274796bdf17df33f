import type { ResultObject } from "../wire/callback-envelope.ts";
import { JsonNumber, type WritableJson } from "../wire/exact-json.ts";
import { numberOnWire, type WireProfile } from "../wire/profile.ts";
import { decimalText, type Money } from "./money.ts";
import type { Order, PaymentStatus, Refund } from "./order.ts";

/** The order's state at the time of an event. The order may change later, while this callback is retried. */
export interface PaymentFact {
  status: PaymentStatus;
  transactionId: string | undefined;
  completeTimeMilliseconds: number | undefined;
  msg: string | undefined;
}

/** The created order callback (§2.11). */
export function paymentResult(order: Order, fact: PaymentFact): ResultObject {
  const { profile, merchantId } = order.merchant;
  return {
    merchantId,
    [profile.orderNoName]: reportedOrderNo(order),
    transactionId: fact.transactionId,
    paymentAmount: amountOnWire(order.amount, profile),
    currency: order.amount.currency,
    paymentTime: numberOnWire(order.paymentTimeMilliseconds, profile),
    [profile.completeTimeName]: numberOnWire(fact.completeTimeMilliseconds, profile),
    status: fact.status,
    msg: fact.msg,
  };
}

const shortNumber = 32;

/** The order number as the service reports it. */
export function reportedOrderNo({ orderNo, isNumberShort }: Order): string {
  return isNumberShort ? [...orderNo].slice(0, shortNumber).join("") : orderNo;
}

/** The refund order callback (§2.12), which names neither the order nor the currency. */
export function refundResult(order: Order, refund: Refund): ResultObject {
  const { profile, merchantId } = order.merchant;
  return {
    merchantId,
    refundId: refund.refundId,
    paymentId: order.paymentId,
    referRefundNo: refund.referRefundNo,
    transactionId: refund.transactionId,
    refundAmount: amountOnWire(refund.amount, profile),
    refundTime: numberOnWire(refund.refundTimeMilliseconds, profile),
    completeTime: numberOnWire(refund.completeTimeMilliseconds, profile),
    status: refund.status,
    msg: refund.msg,
  };
}

/** The query response (§2.9). If there is a refund, it contains the refund's number instead of the order number. */
export function queryData(order: Order): ResultObject {
  const { profile, merchantId } = order.merchant;
  const paid = order.status === "success";
  return {
    status: order.status,
    transactionId: order.transactionId,
    msg: order.msg,
    merchantId,
    referOrderNo: order.refunds.at(-1)?.referRefundNo ?? reportedOrderNo(order),
    payAmount: paid ? amountOnWire(order.amount, profile) : undefined,
    currency: order.amount.currency,
    paymentTime: numberOnWire(order.paymentTimeMilliseconds, profile),
    paidTime: paid ? numberOnWire(order.completeTimeMilliseconds, profile) : undefined,
  };
}

/** §3.2: a refund can also be queried. The query then names the refund's id. */
export function queryRefundData(order: Order, refund: Refund): ResultObject {
  const { profile, merchantId } = order.merchant;
  return {
    status: refund.status,
    transactionId: refund.transactionId,
    msg: refund.msg,
    merchantId,
    referOrderNo: refund.referRefundNo,
    payAmount: amountOnWire(refund.amount, profile),
    currency: order.amount.currency,
    paymentTime: numberOnWire(refund.refundTimeMilliseconds, profile),
    paidTime: numberOnWire(refund.completeTimeMilliseconds, profile),
  };
}

/** The query names the payment, and the response describes its refund, except for the paid amount (§2.9). */
export function queryRefundedData(order: Order, refund: Refund): ResultObject {
  const payAmount = amountOnWire(order.amount, order.merchant.profile);
  return { ...queryRefundData(order, refund), payAmount };
}

function amountOnWire(money: Money, profile: WireProfile): WritableJson {
  return profile.numbers === "number" ? new JsonNumber(decimalText(money)) : decimalText(money);
}
