import { randomUUID } from "node:crypto";
import { readEnvelope } from "../../shared/envelope/envelope.ts";
import {
  type CallbackKeys,
  type CallbackWindow,
  type KeyVersion,
  type OpenedCallback,
  openEnvelope,
} from "../../shared/envelope/open-callback.ts";
import { Refusal } from "../../shared/envelope/refusal.ts";
import type { TestMerchant } from "./merchant.ts";
import { type CallbackToSeal, sealCallback } from "./seal-callback.ts";
import { thrownBy } from "./thrown-by.ts";

/** The time at which the builders' callbacks are sent. */
export const sentAt = Date.UTC(2026, 10, 15, 1, 22, 45, 123);

/** §2.11. */
export function orderResult(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    merchantId: "208800000000000001",
    referOrderNo: "ORDER-2026-000042",
    transactionId: "TX2026111500000000000000000042",
    paymentAmount: 129.95,
    currency: "EUR",
    paymentTime: sentAt - 90_000,
    completeTime: sentAt - 1_000,
    status: "success",
    msg: "",
    ...overrides,
  };
}

/** §2.12. */
export function refundResult(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    merchantId: "208800000000000001",
    refundId: "RF2026111500000042",
    paymentId: "PAY20261115000000000000000000042",
    referRefundNo: "REFUND-2026-000007",
    transactionId: "TX2026111500000000000000000043",
    refundAmount: 29.95,
    refundTime: sentAt - 60_000,
    completeTime: sentAt - 1_000,
    status: "refund_success",
    msg: "",
    ...overrides,
  };
}

/** A callback envelope (§2.10) as the service sends it. */
export function sealedCallback(
  merchant: TestMerchant,
  overrides: Partial<CallbackToSeal> = {},
): Record<string, unknown> {
  const callback = {
    id: randomUUID(),
    merchantId: merchant.merchantId,
    eventName: "payment.order.success",
    result: orderResult({ merchantId: merchant.merchantId }),
    nowMilliseconds: sentAt,
    ...overrides,
  };
  return sealCallback(callback, merchant.service);
}

export function bytesOf(envelope: unknown): Buffer {
  return Buffer.from(JSON.stringify(envelope));
}

export function windowAt(nowMilliseconds: number): CallbackWindow {
  return {
    nowMilliseconds,
    maximumAgeMilliseconds: 8 * 24 * 3_600_000,
    maximumAheadMilliseconds: 5 * 60_000,
  };
}

/** Reads an envelope and opens it, as receive-callback does. */
export function openCallback(
  bytes: Buffer,
  keysOf: (merchantId: string) => readonly KeyVersion<CallbackKeys>[] | undefined,
  window: CallbackWindow,
): OpenedCallback {
  const envelope = readEnvelope(bytes);
  return openEnvelope(envelope, keysOf(envelope.merchantId) ?? [], window);
}

/** What an opened callback states. Fails the test if it is no text. */
export function textOf({ content }: OpenedCallback): { text: string; result: unknown } {
  if (content.kind === "text") return content;
  throw new Error(`It is ${content.kind}.`);
}

/** Opens bytes, or an envelope, with a merchant's keys; no other merchant is known. */
export function openWith(
  merchant: TestMerchant,
  input: Buffer | object,
  nowMilliseconds = sentAt,
): OpenedCallback {
  const bytes = Buffer.isBuffer(input) ? input : bytesOf(input);
  const keysOf = (id: string) => (id === merchant.merchantId ? [merchant.version] : undefined);
  return openCallback(bytes, keysOf, windowAt(nowMilliseconds));
}

/** The refusal that `attempt` ends in. Fails the test if it returns, or throws anything else. */
export function refusalOf(attempt: () => unknown): Refusal {
  return thrownBy(Refusal, attempt);
}
