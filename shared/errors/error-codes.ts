/**
 * Every code that an error of Paycast can have: who sees it, and what to do. Codes are stable; messages are not.
 */
export type ErrorCode = ReasonCode | ProblemCode | SetupCode | CommandCode | AwsCode | LocalCode;

/**
 * The codes that people see as the reason of a record, a request or a message. tools/operations/reason-words.ts has the
 * text for each.
 */
export type ReasonCode =
  | CallbackRefusalCode
  | QuarantineCode
  | AmountCode
  | KeyCode
  | PassingCode
  | TableCode
  | GatewayCode;

/**
 * The payment service sees the class of a rejected callback, as 400, 401, 403 or 413; the operator sees the reason in
 * the log. If real callbacks are rejected, compare keys and profile: `npx paycast keys check`, then docs/runbook.md.
 */
type CallbackRefusalCode = "not-an-envelope" | "not-authentic" | "source-not-allowed" | "too-large";

/** The precise reason, for the log and the metrics only. */
export type RefusalReason =
  | "source-not-allowed"
  | "too-large"
  | "empty-body"
  | "not-base64"
  | "not-utf-8"
  | "not-json"
  | "not-an-envelope"
  | "unknown-merchant"
  | "cannot-decrypt"
  | "wrong-signature"
  | "merchant-differs"
  | "too-old"
  | "too-new";

/** The operator sees these with a quarantined callback. Fix the cause, then redrive it (docs/runbook.md). */
type QuarantineCode =
  /** The decrypted body is not UTF-8. Ask the payment service. */
  | "plaintext-not-utf-8"
  /** The result object is not JSON, or a required field is missing or malformed. */
  | "result-unreadable"
  /** The result object names two orders, or has two values for one of its other names. Ask the payment service. */
  | "result-contradicted"
  /** An amount or id is a number that cannot be read exactly: it is too long, or an id that is not whole. */
  | "number-inexact"
  /** The interface does not have this event name. Paycast must be extended. */
  | "event-unknown"
  /** The event name and the status contradict each other. Ask the payment service. */
  | "event-differs"
  /** The result object names no merchant, or another one. Ask the payment service. */
  | "merchant-differs"
  /** The event would be larger than SQS accepts. */
  | "event-too-large"
  /** The record or the aggregate would be larger than DynamoDB accepts. */
  | "item-too-large"
  /**
   * A subscriber's queue rejected an event, or did not exist, until Paycast gave up. Make the queue available again.
   */
  | "subscriber-unreachable"
  /** Our own code failed on it for six hours; the detail names the error. Fix the code. */
  | "processing-failed"
  /** A stamped message of the inbox cannot be read. */
  | "inbox-message-unreadable"
  /** A redrive names a record that cannot be read. A newer version of Paycast may have written it: use that version. */
  | "record-unreadable"
  /**
   * Something other than Paycast wrote to the inbox. The message is in the dead-letter queue and is never applied
   * (SECURITY.md).
   */
  | "stamp-missing"
  | "stamp-wrong";

/**
 * An amount or time is not exact. The operator sees the code with a quarantined callback: ask the payment
 * service. The caller sees the message for an order, and sends it again with another value.
 */
type AmountCode =
  | "amount-malformed"
  | "amount-negative"
  | "amount-zero"
  | "amount-too-precise"
  | "amount-too-large"
  | "amount-inexact"
  | "currency-unknown"
  | "currency-mismatch"
  | "time-out-of-range";

/** The operator sees these in the log. Callbacks get 503, and the service retries them. */
export type KeyCode =
  /** The secret has no value. Set one. */
  | "keys-unset"
  /** The secret, or a key in it, is not valid. The message names the field. */
  | "keys-invalid"
  /** The wire profile in the secret is not valid. The message names the field. */
  | "profile-invalid"
  /** With this wire profile, sealed requests would reveal the key. Agree on another one with the payment service. */
  | "profile-unsafe"
  /** Secrets Manager does not respond. Nothing to do: the next callback tries again. */
  | "keys-unreachable"
  /** A signed ciphertext verifies, but the body cannot be decrypted. Compare the AES key. */
  | "body-not-decrypted"
  /** No such merchant is configured. Add it to the config and deploy, or correct the sender. */
  | "unknown-merchant";

/** The operator sees these in the log of a message or call that is retried automatically. */
type PassingCode =
  /** SQS did not accept a message for the inbox's dead-letter queue. It stays in the inbox. */
  | "dead-letters-unavailable"
  /** SQS did not accept the message. The payment service retries its callback. */
  | "inbox-unavailable"
  /** A newer version of Paycast wrote the message. It waits until that version is deployed. */
  | "inbox-message-newer"
  /** The stamp key, or the version that a message names, could not be read. The message waits in the inbox. */
  | "stamp-unchecked"
  /** Other writers changed the same order or payment first, several times. */
  | "aggregate-contended"
  /** Our own time was over before the payment service was called: the keys or the tables were slow. */
  | "out-of-time"
  /** A newer version wrote the item in a format that this one would misread. It passes with the deployment. */
  | "item-newer";

/** The operator sees these in the lines of every function that uses the tables. The work is retried. */
type TableCode =
  /** DynamoDB throttled the call until the function's time was over. Nothing to do, unless it persists. */
  | "table-throttled"
  /** DynamoDB, or the connection to it, failed. Nothing to do: check the AWS Health Dashboard. */
  | "table-unavailable"
  /** A role or a policy was changed. Undo the change. */
  | "table-denied"
  /** A table was deleted or renamed. Restore it (docs/changing.md). */
  | "table-missing";

/** The operator sees these in the lines of create-order, query-order and reconcile-orders; a caller gets a problem document. */
type GatewayCode =
  /** The payment service rejected the request. The line has its code: look it up in the service's documents. */
  | "gateway-refused"
  /** The next five are temporary: reconcile-orders queries again. If they persist, ask the payment service. */
  | "gateway-busy"
  | "gateway-unreachable"
  | "gateway-timed-out"
  | "gateway-disconnected"
  | "gateway-unreadable"
  /** The payment service created a payment but returned too little. Ask it about the payment that the line names. */
  | "gateway-incomplete"
  /** The payment service returned a payment of another order. Ask it about both orders. */
  | "gateway-other-order";

/**
 * Callers of the storefront API see these as a problem document's type. `storefront/problem-kinds.ts` says what to do.
 */
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
  | "service-no-answer"
  | "service-answer-incomplete"
  | "outcome-unknown"
  | "unavailable";

/** The platform engineer sees these when the stack is synthesized or a function starts; the message says what to change. */
type SetupCode =
  | "config-unreadable"
  | "config-invalid"
  | "bundle-failed"
  | "environment-invalid"
  | "credentials-missing";

/** The user of `npx paycast` sees these, with exit code 2; the message says what to change. */
type CommandCode =
  | "wrong-usage"
  | "unreadable-input"
  /** No local stack runs here, or there is no such stack in the account and region. */
  | "target-not-found"
  /** The stack lacks something that this version of the command needs. */
  | "target-incomplete"
  /** The template refers to something whose value is not known. The message has the reference. */
  | "template-unresolved"
  /** Nothing is stored about the order or callback. Exit code 1. */
  | "nothing-stored"
  /** The stack has no such subscriber, merchant or message. */
  | "not-found"
  /** This version cannot read an item of the tables. Exit code 3. */
  | "stored-unreadable"
  /** The file of the local stack's audit lines cannot be written, so nothing was changed. */
  | "audit-unwritable"
  /** The version of the keys is the current one, which can only be replaced. */
  | "keys-current"
  /** No record of the stack matches the dead-letter message, so it is not redriven. */
  | "foreign-letter"
  /** Several ids start with these characters, or a number matches several things. */
  | "ambiguous-id";

/** The user of `npx paycast` sees these, with exit code 4: AWS did not do what was asked. */
type AwsCode =
  /** The credentials are missing or have expired. Sign in again. */
  | "aws-credentials"
  /** The message names the permission. `npx paycast policy` prints a policy that has it. */
  | "aws-denied"
  /** Check the network and the region, then run the command again. */
  | "aws-unreachable"
  /** AWS, or a proxy in front of it, returned something that the SDK cannot read. */
  | "aws-unreadable"
  /** The message is from AWS. */
  | "aws-refused";

/** The developer sees these from `npm start` and the other local commands; the message says what to do. */
type LocalCode = `local-${string}`;
