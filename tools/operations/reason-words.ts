import type { ReasonCode, RefusalReason } from "../../shared/errors/error-codes.ts";
import type { DeliveryReason, unexpected } from "../../shared/errors/failures.ts";

/** Problems of a caller are explained to the caller (shared/storefront/problem-kinds.ts). */
type ExplainedReason = ReasonCode | RefusalReason | DeliveryReason | typeof unexpected;

/**
 * Every reason in words, for people who read a record or a request: a sentence without its full stop. The sender of a
 * rejected callback sees none of it.
 */
const words: Readonly<Record<ExplainedReason, string>> = {
  "unexpected-error": "Paycast's own code failed",
  "subscriber-gone": "A subscriber's queue does not exist, or its KMS key cannot be used",
  "subscriber-refused": "A subscriber's queue rejected the event",
  "subscriber-failed": "SQS failed while it took the event for a subscriber",
  "subscriber-no-response": "A subscriber's queue did not respond in time",
  "subscriber-untried": "A subscriber's queue has just not responded, so it was not tried again",
  "source-not-allowed": "The sender's address is not one that the config allows",
  "too-large": "The request is larger than 256 KiB",
  "empty-body": "The body is empty, as in the request that npx paycast check sends",
  "not-base64": "The body is not what API Gateway said it is",
  "not-utf-8": "The body is not UTF-8",
  "not-json": "The body is not JSON",
  "not-an-envelope": "The body is not a callback",
  "not-authentic": "The callback is not authentic",
  "unknown-merchant": "It names a merchant that this stack does not have",
  "cannot-decrypt": "The body does not decrypt with the merchant's AES key",
  "wrong-signature": "The service's key does not verify the signature",
  "merchant-differs": "It names another merchant, or none",
  "too-old": "The timestamp is too old: it may be an old callback that was sent again",
  "too-new": "The timestamp is in the future",
  "plaintext-not-utf-8": "The decrypted body is not UTF-8",
  "body-not-decrypted": "The signature is valid, but the body cannot be decrypted",
  "result-unreadable": "The result cannot be read",
  "result-contradicted": "The result names two orders, or one field twice with two values",
  "number-inexact": "A number cannot be read exactly",
  "event-unknown": "The event name is not known",
  "event-differs": "Event name and status contradict each other",
  "event-too-large": "The event is too large for SQS",
  "item-too-large": "The record is too large for DynamoDB",
  "subscriber-unreachable": "A subscriber's queue did not accept it",
  "processing-failed": "Paycast's own code failed on it",
  "inbox-message-unreadable": "The message in the inbox cannot be read",
  "inbox-message-newer": "A newer version of Paycast wrote it, so it waits for that version",
  "record-unreadable": "The record cannot be read by this version",
  "stamp-missing": "Something other than Paycast wrote it to the inbox",
  "stamp-wrong": "Its stamp is wrong: something other than Paycast wrote it to the inbox",
  "amount-malformed": "An amount is not a plain decimal number",
  "amount-negative": "An amount is negative",
  "amount-zero": "An amount is zero",
  "amount-too-precise": "An amount has more decimals than its currency",
  "amount-too-large": "An amount has too many digits",
  "amount-inexact": "An amount has more digits than a JSON number holds exactly",
  "currency-unknown": "The currency is not known",
  "currency-mismatch": "The currencies differ",
  "time-out-of-range": "A time is out of range",
  "keys-unset": "The merchant has no keys yet",
  "keys-invalid": "The merchant's keys cannot be read",
  "profile-invalid": "The wire profile in the merchant's keys is not valid",
  "profile-unsafe": "With this wire profile, sealed requests would reveal the key",
  "keys-unreachable": "Secrets Manager did not return the keys",
  "inbox-unavailable": "SQS did not accept the message for the inbox",
  "dead-letters-unavailable": "SQS did not accept the message for the inbox's dead letters",
  "table-throttled": "DynamoDB accepted no more requests for the table",
  "table-unavailable": "DynamoDB did not respond as expected",
  "table-denied": "AWS denied access to a table",
  "table-missing": "A table does not exist",
  "stamp-unchecked": "The stamp key could not be read, so the message waits",
  "item-newer": "A newer version wrote the stored item, and this one cannot read it",
  "out-of-time": "Paycast's own time was over before it called the payment service",
  "aggregate-contended": "Other callbacks changed the same order first, several times",
  "gateway-refused": "The payment service rejected the call",
  "gateway-busy": "The payment service asked to slow down",
  "gateway-unreachable": "The payment service cannot be reached",
  "gateway-timed-out": "The payment service did not respond in time",
  "gateway-disconnected": "The connection to the payment service broke before its response",
  "gateway-incomplete": "The payment service created a payment, but its response is incomplete",
  "gateway-other-order": "The payment service returned a payment of another order",
  "gateway-unreadable": "The payment service's response cannot be read",
};

const wordsByText: ReadonlyMap<string, string> = new Map(Object.entries(words));

/** Undefined for a code that is not a reason, such as the name of an error. */
export function reasonWords(reason: string | undefined): string | undefined {
  return reason === undefined ? undefined : wordsByText.get(reason);
}

/** A reason in words. The name of an error stays as it is. */
export function reasonText(reason: string): string {
  return reasonWords(reason) ?? reason;
}
