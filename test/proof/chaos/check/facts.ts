import type { Asked } from "../service-line.ts";
import {
  decryptBody,
  type JsonObject,
  type KeysOf,
  type Opened,
  parseObject,
} from "./open-envelope.ts";

/** A payment's fact has an order number, a refund's a payment and a refund id. */
export interface Fact {
  readonly type: string;
  readonly merchantId: string;
  readonly orderNo: string | undefined;
  readonly paymentId: string | undefined;
  readonly refundId: string | undefined;
  readonly refundNo: string | undefined;
  readonly status: string;
  readonly transactionId: string | undefined;
  /** A decimal, as it was sent. A refund names no currency. */
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  readonly reason: string | undefined;
  /** RFC 3339. */
  readonly createdAt: string | undefined;
  readonly completedAt: string | undefined;
}

/** The statuses of a payment and of a refund, from the lowest to the highest. Callbacks report all but the first. */
export const ranks = ["pending", "confirming", "timeout", "failed", "success"];
export const refundRanks = ["refunding", "refund_failed", "refund_success"];

export function highest(order: readonly string[], found: readonly string[]): string | undefined {
  return order.findLast((status) => found.includes(status));
}

/** What a callback states. Undefined if it is not readable. */
export function readFact({ eventName, merchantId, result = {} }: Opened): Fact | undefined {
  const [, kind = "", end = ""] = eventName.split(".");
  const isRefund = kind === "refund";
  const text = (...names: readonly string[]) => textOf(result, ...names);
  const fact = {
    type: eventName,
    merchantId,
    status: isRefund ? `refund_${end}` : end,
    orderNo: isRefund ? undefined : text("referOrderNo", "outOrderNo"),
    paymentId: isRefund ? text("paymentId") : undefined,
    refundId: isRefund ? text("refundId") : undefined,
    refundNo: isRefund ? text("referRefundNo") : undefined,
    transactionId: text("transactionId"),
    amount: text(isRefund ? "refundAmount" : "paymentAmount"),
    currency: isRefund ? undefined : text("currency"),
    reason: text("msg"),
    createdAt: timeOf(text(isRefund ? "refundTime" : "paymentTime")),
    completedAt: timeOf(text("completeTime", "paidTime")),
  };
  const isKnown = (isRefund ? refundRanks : ranks).slice(1).includes(fact.status);
  const isNamed = isRefund ? fact.paymentId && fact.refundId : fact.orderNo;
  const isWhole = fact.status !== "success" || fact.amount !== undefined;
  const isSound = result["merchantId"] === merchantId && result["status"] === fact.status;
  const isPayment = kind === "order" || isRefund;
  return isPayment && isKnown && isNamed && isWhole && isSound ? fact : undefined;
}

/**
 * The service's response about a payment, and which payment it is. Undefined if it was another request or had no
 * response.
 */
export function readAnswer(
  asked: Asked,
  keysOf: KeysOf,
  orderNoOf: (paymentId: string) => string | undefined,
): Fact | undefined {
  const { method } = parseObject(asked.envelope) ?? {};
  if (method !== "service.trade.query") return undefined;
  const data = dataOf(asked);
  const paymentId = textOf(bodyOf(asked, keysOf), "paymentId");
  const text = (name: string) => textOf(data, name);
  const status = text("status");
  if (status === undefined || paymentId === undefined) return undefined;
  return {
    type: `payment.order.${status}`,
    merchantId: String(data["merchantId"]),
    status,
    orderNo: orderNoOf(paymentId),
    paymentId,
    refundId: undefined,
    refundNo: undefined,
    transactionId: text("transactionId"),
    amount: text("payAmount"),
    currency: text("currency"),
    reason: text("msg"),
    createdAt: timeOf(text("paymentTime")),
    completedAt: timeOf(text("paidTime")),
  };
}

function dataOf({ answer }: Asked): JsonObject {
  const { code, data } = parseObject(answer) ?? {};
  return Number(code) === 20_000 && typeof data === "object" ? { ...data } : {};
}

/** The decrypted body of a request to the service. Empty if none of the keys fits. */
export function bodyOf({ envelope }: Asked, keysOf: KeysOf): JsonObject {
  const { merchantId = "", body = "" } = parseObject(envelope) ?? {};
  const contents = keysOf(String(merchantId)).map((keys) =>
    parseObject(decryptBody(String(body), keys) ?? ""),
  );
  return contents.find((content) => content !== undefined) ?? {};
}

export function textOf(result: JsonObject, ...names: readonly string[]): string | undefined {
  const value = names
    .map((name) => result[name])
    .find((candidate) => candidate !== undefined && candidate !== "");
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

function timeOf(milliseconds: string | undefined): string | undefined {
  return milliseconds === undefined ? undefined : new Date(Number(milliseconds)).toISOString();
}

/** Whether two statements are about the same fact. The service may report a status with and without its transaction. */
export function isSameFact(left: Fact, right: Fact): boolean {
  if (nameOf(left) !== nameOf(right)) return false;
  const [leftId, other] = [left.transactionId, right.transactionId];
  const isRefund = left.refundId !== undefined;
  return isRefund || leftId === undefined || other === undefined || leftId === other;
}

export function nameOf({ merchantId, orderNo, paymentId, refundId, status }: Fact): string {
  const own = refundId === undefined ? orderNo : `${paymentId}/${refundId}`;
  return [merchantId, own, status].join("/");
}
