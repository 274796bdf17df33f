import type { PaycastEvent } from "../../shared/events/event.ts";
import { type SmokeCallback, smokeAmount } from "./smoke-callback.ts";

/** What differs in an event from the callback that led to it. Empty if it is right. */
export function differencesIn(event: PaycastEvent, callback: SmokeCallback): readonly string[] {
  const { data, type } = event;
  const { amount } = data;
  const currency = amount !== undefined && "currency" in amount ? amount.currency : undefined;
  const told: readonly (readonly [string, string | undefined, string])[] = [
    ["type", type, "payment.order.success"],
    ["merchantId", data.merchantId, callback.merchantId],
    ["orderNo", data.orderNo, callback.orderNo],
    ["callbackId", data.callbackId, callback.callbackId],
    ["amount", amount?.value, smokeAmount.value],
    ["currency", currency, smokeAmount.currency],
  ];
  return told.filter(([, is, should]) => is !== should).map(([name]) => name);
}
