import { eventTypeOf, isEventType, refundStatuses } from "../events/event-types.ts";
import type { CallbackMessage, InboxMessage, QueryMessage } from "../inbox/inbox-message.ts";
import { findInexactNumber } from "../money/exact-numbers.ts";
import { PaycastError } from "../paycast-error.ts";
import type { Fact } from "./fact.ts";
import { type Learned, readPaymentResult, readRefundResult } from "./result-object.ts";

/**
 * The fact that an authentic message states. Throws a `PaycastError` that is not retryable where it
 * cannot be said for sure: such a message is quarantined, never guessed at. Nothing for a query's answer
 * that states no fact of a payment.
 */
export function readFact(message: InboxMessage): Fact | undefined {
  const result = parseExactly(message.plaintext);
  return message.origin === "callback"
    ? factOfCallback(message, result)
    : factOfQuery(message, result);
}

function parseExactly(plaintext: string): unknown {
  let result: unknown;
  try {
    result = JSON.parse(plaintext);
  } catch {
    throw new PaycastError("result-unreadable", "The result object is not JSON.");
  }
  const inexact = findInexactNumber(plaintext);
  if (inexact === undefined) return result;
  throw new PaycastError("number-inexact", "A number cannot be read exactly as it is written.");
}

function factOfCallback(message: CallbackMessage, result: unknown): Fact {
  const { eventName, merchantId } = message;
  if (eventName !== undefined && !isEventType(eventName)) {
    throw new PaycastError("event-unknown", "The event name is not one of the interface's.");
  }
  const { fact, namedMerchantId } = isRefund(eventName, result)
    ? readRefundResult(result, learnedFrom(message))
    : withOrderNo(readPaymentResult(result, learnedFrom(message)));
  if (namedMerchantId !== merchantId) {
    throw merchantDiffers();
  }
  const type = eventTypeOf(fact.status);
  if (type === undefined || (eventName !== undefined && type !== eventName)) {
    throw new PaycastError("event-differs", "The event name and the status do not agree.");
  }
  return fact;
}

function learnedFrom({ merchantId, origin, receivedAtMilliseconds }: InboxMessage): Learned {
  return { merchantId, origin, learnedAtMilliseconds: receivedAtMilliseconds };
}

/** By the event's name; where the signature does not cover that, by the status, which it does. */
function isRefund(eventName: string | undefined, result: unknown): boolean {
  return eventName === undefined
    ? hasRefundStatus(result)
    : eventName.startsWith("payment.refund.");
}

/** An answer is matched by the payment that was asked for (§2.9: its number may be a refund's). */
function factOfQuery(message: QueryMessage, result: unknown): Fact | undefined {
  if (hasRefundStatus(result)) return undefined;
  const { orderNo, paymentId } = message;
  const { fact, namedMerchantId } = readPaymentResult(result, learnedFrom(message));
  if (namedMerchantId !== undefined && namedMerchantId !== message.merchantId) {
    throw merchantDiffers();
  }
  if (eventTypeOf(fact.status) === undefined) return undefined;
  return { ...fact, orderNo, paymentId };
}

export function hasRefundStatus(result: unknown): boolean {
  if (typeof result !== "object" || result === null || !("status" in result)) return false;
  const statuses: readonly unknown[] = refundStatuses;
  return statuses.includes(result.status);
}

function withOrderNo(read: ReturnType<typeof readPaymentResult>) {
  const { orderNo } = read.fact;
  if (orderNo === undefined) {
    throw new PaycastError("result-unreadable", "The result object names no order.");
  }
  return { ...read, fact: { ...read.fact, orderNo } };
}

export function merchantDiffers(): PaycastError {
  return new PaycastError("merchant-differs", "The result object names no merchant or another.");
}
