/**
 * Every code that an error of Paycast can have, documented here and nowhere else: who sees it, and what to do. Codes
 * are stable; messages are not.
 */
export type ErrorCode =
  | CallbackRefusalCode
  | QuarantineCode
  | AmountCode
  | KeyCode
  | PassingCode
  | GatewayCode
  | ProblemCode
  | SetupCode
  | CommandCode
  | LocalCode;

/** The payment service sees the class of a refused callback, as 400, 401 or 413; the operator sees the reason in the log. */
type CallbackRefusalCode = "not-an-envelope" | "not-authentic" | "too-large";

/** The operator sees these with a quarantined callback. Fix the cause, then redrive it (docs/runbook.md). */
type QuarantineCode =
  /** The decrypted body is not UTF-8. Ask the payment service. */
  | "plaintext-not-utf-8"
  /** The signature is right and the body cannot be decrypted: compare the AES key. */
  | "body-not-decrypted"
  /** The result object is no JSON, or a field that is needed is missing or malformed. */
  | "result-unreadable"
  /** A number that matters has more digits than JSON keeps. */
  | "number-inexact"
  /** An event name that the interface does not have: Paycast has to learn it. */
  | "event-unknown"
  /** Event name and status contradict each other. Ask the payment service. */
  | "event-differs"
  /** The result object names no merchant, or another one. Ask the payment service. */
  | "merchant-differs"
  /** The event would be larger than SQS takes. */
  | "event-too-large"
  /** The record or the aggregate would be larger than DynamoDB takes. */
  | "item-too-large"
  /** A subscriber's queue did not take an event for five minutes: make it available again. */
  | "subscriber-unreachable"
  /** Something else than Paycast wrote to the inbox. */
  | "inbox-message-unreadable";

/** An amount that cannot be read exactly: in a callback the operator sees it, in an order the caller sees its words. */
type AmountCode =
  | "amount-malformed"
  | "amount-exponent-notation"
  | "amount-negative"
  | "amount-zero"
  | "amount-too-precise"
  | "amount-too-large"
  | "amount-inexact"
  | "currency-unknown"
  | "currency-mismatch"
  | "quantity-malformed"
  | "time-out-of-range";

/** The operator sees these in the log. Callbacks are answered 503 and come again. */
type KeyCode =
  /** The merchant's secret has no value: put one. */
  | "keys-unset"
  /** The secret, or a key in it, makes no sense: the message names the field. */
  | "keys-invalid"
  /** The wire profile in the secret makes no sense: the message names the field. */
  | "profile-invalid"
  /** The wire profile would reveal the key if something were sealed with it. */
  | "profile-unsafe"
  /** Secrets Manager does not answer. */
  | "keys-unreachable"
  /** No such merchant is configured. */
  | "unknown-merchant";

/** The operator sees these in the log of a message or call that is tried again by itself. */
type PassingCode =
  /** SQS did not take the message: the payment service sends its callback again. */
  | "inbox-unavailable"
  /** Others wrote the same order or payment faster. */
  | "aggregate-contended";

/** The operator sees these in the lines of create-order and query-order; the caller gets a problem document. */
type GatewayCode =
  | "gateway-refused"
  | "gateway-busy"
  | "gateway-unreachable"
  | "gateway-timed-out"
  | "gateway-unreadable";

/** The caller of the storefront API sees these as the type of a problem document; `problem-kinds.ts` has the words. */
export type ProblemCode =
  | "body-invalid"
  | "body-too-large"
  | "merchant-unknown"
  | "order-differs"
  | "order-exists"
  | "order-in-progress"
  | "order-unknown"
  | "payment-unknown"
  | "route-unknown"
  | "service-refused"
  | "service-busy"
  | "service-unreachable"
  | "outcome-unknown"
  | "unavailable";

/** The platform engineer sees these when the stack is synthesized or a function starts; the message says what to change. */
type SetupCode =
  | "config-unreadable"
  | "config-invalid"
  | "bundle-failed"
  | "environment-invalid"
  | "credentials-missing";

/** Whoever runs `npx paycast` sees these, with exit code 2; the message says what to change. */
type CommandCode = "wrong-usage" | "unreadable-input";

/** The developer sees these from `npm start` and its companions; the message says what to do. */
type LocalCode = `local-${string}`;
