import type { OpenedCallback } from "../envelope/open-callback.ts";
import { sha256Of } from "../sha256.ts";

/**
 * What must stay in order shares a group: an order's callbacks by its number, a refund's by its payment,
 * and a callback that names neither goes alone. A hash, since SQS takes 128 ASCII characters and an
 * order number may be 64 of any script.
 */
export function callbackGroup(callback: OpenedCallback): string {
  const orderNo =
    textField(callback.result, "referOrderNo") ?? textField(callback.result, "outOrderNo");
  if (orderNo !== undefined) return orderGroup(callback.merchantId, orderNo);
  const paymentId = textField(callback.result, "paymentId");
  if (paymentId !== undefined) return paymentGroup(callback.merchantId, paymentId);
  return sha256Of("callback", callback.merchantId, callback.deduplication.key);
}

export function orderGroup(merchantId: string, orderNo: string): string {
  return sha256Of("order", merchantId, orderNo);
}

function paymentGroup(merchantId: string, paymentId: string): string {
  return sha256Of("payment", merchantId, paymentId);
}

function textField(result: unknown, name: string): string | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const value: unknown = Reflect.get(result, name);
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
