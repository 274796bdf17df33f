/* Written by `npm run docs` from the schemas in shared/events. */

/** The flags of this version. A newer Paycast may send others: ignore unknown ones. */
export type Flag =
  | "late"
  | "regressed"
  | "duplicatePayment"
  | "mismatch"
  | "contradicted"
  | "refunded"
  | "conflict"
  | "unknownOrder"
  | "otherAttempt"
  | "refusedOrder"
  | "unresolved"
  | "shortenedNumber"
  | "unreadableTime"
  | "unreadableReason"
  | "unreadableAmount"
  | (string & {});

/** An exact amount of money. */
export interface Amount {
  /** A decimal with exactly the currency's decimals. */
  readonly value: string;
  /** In the currency's smallest unit, as digits. */
  readonly minor: string;
  /** ISO 4217 code. */
  readonly currency: string;
}

/** The amount of a refund as the payment service sent it, without a currency. The payment is not linked to an order, or the amount has more decimals than the order's currency. */
export interface AmountWithoutCurrency {
  /** A decimal without trailing zeros. */
  readonly value: string;
}

/** The fact that gave an order its status. */
export interface PaymentDetails {
  /** The wallet's transaction. */
  readonly transactionId?: string;
  /** The payment service's message about a failure. */
  readonly reason?: string;
  /** When the payment was created. */
  readonly createdAt?: string;
  /** When the payment was completed. */
  readonly completedAt?: string;
  /** The amount of the payment. */
  readonly amount?: Amount;
  /** How the status became known. New values can appear at any time. */
  readonly origin?: "callback" | "query" | (string & {});
  /** When the status became known to Paycast. */
  readonly learnedAt?: string;
}

/** One refund of a payment. */
export interface Refund {
  /** The payment service's number of the refund. */
  readonly refundId: string;
  /** The payment that is refunded. */
  readonly paymentId: string;
  /** The shop's own number of the refund. */
  readonly refundNo?: string;
  /** The status of the refund. */
  readonly status: "refunding" | "refund_failed" | "refund_success";
  /** What was refunded; without a currency while its payment is not known. */
  readonly amount?: Amount | AmountWithoutCurrency;
  /** The wallet's transaction. */
  readonly transactionId?: string;
  /** The payment service's message about a failure. */
  readonly reason?: string;
  /** When the refund was created. */
  readonly createdAt?: string;
  /** When it ended, successfully or not. */
  readonly completedAt?: string;
}

/** An order after a fact. */
export interface OrderSnapshot {
  /** The shop's own number of the order. */
  readonly orderNo: string;
  /** The status of the order. It only moves forward: pending, confirming, timeout, failed, success. */
  readonly status: "pending" | "confirming" | "timeout" | "failed" | "success";
  /** The amount that the order was created for. Absent if it was not created here. */
  readonly expectedAmount?: Amount;
  /** The fact that gave the order its status. */
  readonly payment: PaymentDetails;
  /** Every payment that the payment service returned for the order: more than one only if the response to a creation was lost. */
  readonly paymentIds: readonly string[];
  /** The flags of all facts of the order, and its own: `unresolved` and `shortenedNumber`. */
  readonly flags: readonly Flag[];
}

/** A payment after a refund's fact. */
export interface PaymentSnapshot {
  /** The payment. */
  readonly paymentId: string;
  /** The shop's own number of its order. Present if the payment is linked to an order. */
  readonly orderNo?: string;
  /** Its refunds, one entry each, sorted by `refundId`. */
  readonly refunds: readonly Refund[];
  /** The sum of its successful refunds. Present if the payment is linked to an order. */
  readonly refundedAmount?: Amount;
  /** The flags of all facts of the payment. */
  readonly flags: readonly Flag[];
}

/** A fact about the payment of an order, and the order after it. */
export interface OrderEventData {
  /** The merchant whose order or payment it is. */
  readonly merchantId: string;
  /** The wallet's transaction, if the payment service named one. */
  readonly transactionId?: string;
  /** The payment service's message, mostly about a failure. For people, not for programs. */
  readonly reason?: string;
  /** When the payment was created. */
  readonly createdAt?: string;
  /** When the payment was completed. */
  readonly completedAt?: string;
  /** The id of the callback that reported the fact, as the payment service wrote it. Absent if a query found it. */
  readonly callbackId?: string;
  /** What is unusual about this fact. New flags can appear at any time: ignore unknown ones. */
  readonly flags: readonly Flag[];
  /** The shop's own number of the order. */
  readonly orderNo: string;
  /** The payment, if the fact comes from a query. A callback does not name it. */
  readonly paymentId?: string;
  /** The status that this fact reports. `order.status` is the status of the order. */
  readonly status: "pending" | "confirming" | "timeout" | "failed" | "success";
  /** The amount of the payment. Always present if money was paid. */
  readonly amount?: Amount;
  /** The order after this fact. You may ignore a snapshot that is older than yours. */
  readonly order: OrderSnapshot;
}

/** A fact about a refund, and the payment after it. */
export interface RefundEventData {
  /** The merchant whose order or payment it is. */
  readonly merchantId: string;
  /** The wallet's transaction, if the payment service named one. */
  readonly transactionId?: string;
  /** The payment service's message, mostly about a failure. For people, not for programs. */
  readonly reason?: string;
  /** When the refund was created. */
  readonly createdAt?: string;
  /** When the refund ended, successfully or not. */
  readonly completedAt?: string;
  /** The id of the callback that reported the fact, as the payment service wrote it. Absent if a query found it. */
  readonly callbackId?: string;
  /** What is unusual about this fact. New flags can appear at any time: ignore unknown ones. */
  readonly flags: readonly Flag[];
  /** The payment that is refunded. */
  readonly paymentId: string;
  /** The payment service's number of the refund, unique within its payment. */
  readonly refundId: string;
  /** The shop's own number of the refund. */
  readonly refundNo?: string;
  /** The shop's own number of the order. Present if the payment is linked to an order. */
  readonly orderNo?: string;
  /** The status that this fact reports. */
  readonly status: "refunding" | "refund_failed" | "refund_success";
  /** What was refunded. Always present if money was refunded. Without a currency if the payment is not linked to an order, or if the amount has more decimals than the order's currency. */
  readonly amount?: Amount | AmountWithoutCurrency;
  /** The payment after this fact, with all its refunds. */
  readonly payment: PaymentSnapshot;
}

/** The fields that every event has. */
export interface Envelope {
  /** The version of CloudEvents. */
  readonly specversion: "1.0";
  /** Identifies the fact. It is the same on every repeat and replay: use it as your idempotency key. */
  readonly id: string;
  /** The stack that published the event. */
  readonly source: string;
  /** The order number. Absent if a refunded payment is not linked to an order. */
  readonly subject?: string;
  /** When it happened, or the closest known time. */
  readonly time: string;
  /** The format of `data`. */
  readonly datacontenttype: "application/json";
  /** Identifies the order, or for a refund the payment. `sequence` counts within it, and an ordered queue keeps the order within it. */
  readonly partitionkey: string;
  /** Counts the published facts of one `partitionkey` from 1, as ten digits: text order is number order. */
  readonly sequence: string;
  /** How Paycast learned the fact: from a callback or from a query. New values can appear at any time. */
  readonly origin: "callback" | "query" | (string & {});
  /** The trace in which the fact was received, as W3C Trace Context defines it. */
  readonly traceparent: string;
}

/** The consumer has submitted the payment, and the payment service is processing it. */
export interface PaymentOrderConfirming extends Envelope {
  /** What happened. Decides the shape of `data`. */
  readonly type: "payment.order.confirming";
  /** The `$id` of the JSON Schema of `data`, with its version. */
  readonly dataschema: "urn:paycast:schema:payment-order-event:1";
  /** The fact, and the order or payment after it. */
  readonly data: OrderEventData & { readonly status: "confirming" };
}

/** The order was not paid in time. */
export interface PaymentOrderTimeout extends Envelope {
  /** What happened. Decides the shape of `data`. */
  readonly type: "payment.order.timeout";
  /** The `$id` of the JSON Schema of `data`, with its version. */
  readonly dataschema: "urn:paycast:schema:payment-order-event:1";
  /** The fact, and the order or payment after it. */
  readonly data: OrderEventData & { readonly status: "timeout" };
}

/** The payment failed. */
export interface PaymentOrderFailed extends Envelope {
  /** What happened. Decides the shape of `data`. */
  readonly type: "payment.order.failed";
  /** The `$id` of the JSON Schema of `data`, with its version. */
  readonly dataschema: "urn:paycast:schema:payment-order-event:1";
  /** The fact, and the order or payment after it. */
  readonly data: OrderEventData & { readonly status: "failed" };
}

/** The order is paid. */
export interface PaymentOrderSuccess extends Envelope {
  /** What happened. Decides the shape of `data`. */
  readonly type: "payment.order.success";
  /** The `$id` of the JSON Schema of `data`, with its version. */
  readonly dataschema: "urn:paycast:schema:payment-order-event:1";
  /** The fact, and the order or payment after it. */
  readonly data: OrderEventData & { readonly status: "success"; readonly amount: Amount };
}

/** A refund failed: no money moved. */
export interface PaymentRefundFailed extends Envelope {
  /** What happened. Decides the shape of `data`. */
  readonly type: "payment.refund.failed";
  /** The `$id` of the JSON Schema of `data`, with its version. */
  readonly dataschema: "urn:paycast:schema:payment-refund-event:1";
  /** The fact, and the order or payment after it. */
  readonly data: RefundEventData & { readonly status: "refund_failed" };
}

/** A refund is completed: the consumer got money back. */
export interface PaymentRefundSuccess extends Envelope {
  /** What happened. Decides the shape of `data`. */
  readonly type: "payment.refund.success";
  /** The `$id` of the JSON Schema of `data`, with its version. */
  readonly dataschema: "urn:paycast:schema:payment-refund-event:1";
  /** The fact, and the order or payment after it. */
  readonly data: RefundEventData & {
    readonly status: "refund_success";
    readonly amount: Amount | AmountWithoutCurrency;
  };
}

/** A fact about the payment of an order. */
export type OrderEvent =
  | PaymentOrderConfirming
  | PaymentOrderTimeout
  | PaymentOrderFailed
  | PaymentOrderSuccess;

/** A fact about a refund. */
export type RefundEvent = PaymentRefundFailed | PaymentRefundSuccess;

/** An event of a type that this version knows. `type` distinguishes them. */
export type KnownEvent = OrderEvent | RefundEvent;

export type KnownType = KnownEvent["type"];
