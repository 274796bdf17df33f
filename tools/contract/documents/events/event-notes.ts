import { paymentStatuses } from "../../../../shared/facts/event-types.ts";
import type { Notes } from "../json-schema.ts";
import { fieldNotes } from "../openapi/field-notes.ts";
import type { namedShapes, PartName } from "./named-shapes.ts";

type EventNotes = Notes<typeof namedShapes>;

/** What the payment service states about a payment or a refund. */
const stated = {
  merchantId: "The merchant whose order or payment it is.",
  transactionId: "The wallet's transaction, if the payment service named one.",
  reason: "The payment service's message, mostly about a failure. For people, not for programs.",
  callbackId:
    "The id of the callback that reported the fact, as the payment service wrote it. Absent if a query found it.",
  flags: "What is unusual about this fact. New flags can appear at any time: ignore unknown ones.",
} satisfies Partial<EventNotes["OrderEventData"] & EventNotes["RefundEventData"]>;

/** What each field of an event means, by the name of its shape. */
export const eventNotes: EventNotes = {
  Envelope: {
    specversion: "The version of CloudEvents.",
    id: "Identifies the fact. It is the same on every repeat and replay: use it as your idempotency key.",
    source: "The stack that published the event.",
    type: "What happened. Decides the shape of `data`.",
    subject: "The order number. Absent if a refunded payment is not linked to an order.",
    time: "When it happened, or the closest known time.",
    datacontenttype: "The format of `data`.",
    dataschema: "The `$id` of the JSON Schema of `data`, with its version.",
    partitionkey:
      "Identifies the order, or for a refund the payment. `sequence` counts within it, and an ordered queue keeps the order within it.",
    sequence:
      "Counts the published facts of one `partitionkey` from 1, as ten digits: text order is number order.",
    origin:
      "How Paycast learned the fact: from a callback or from a query. New values can appear at any time.",
    traceparent: "The trace in which the fact was received, as W3C Trace Context defines it.",
    data: "The fact, and the order or payment after it.",
  },
  OrderEventData: {
    ...stated,
    orderNo: "The shop's own number of the order.",
    paymentId: "The payment, if the fact comes from a query. A callback does not name it.",
    status: "The status that this fact reports. `order.status` is the status of the order.",
    amount: "The amount of the payment. Always present if money was paid.",
    createdAt: "When the payment was created.",
    completedAt: "When the payment was completed.",
    order: "The order after this fact. You may ignore a snapshot that is older than yours.",
  },
  RefundEventData: {
    ...stated,
    paymentId: "The payment that is refunded.",
    refundId: "The payment service's number of the refund, unique within its payment.",
    refundNo: "The shop's own number of the refund.",
    orderNo: "The shop's own number of the order. Present if the payment is linked to an order.",
    status: "The status that this fact reports.",
    amount:
      "What was refunded. Always present if money was refunded. Without a currency if the payment is not linked to an order, or if the amount has more decimals than the order's currency.",
    createdAt: "When the refund was created.",
    completedAt: "When the refund ended, successfully or not.",
    payment: "The payment after this fact, with all its refunds.",
  },
  OrderSnapshot: {
    orderNo: "The shop's own number of the order.",
    status: `The status of the order. It only moves forward: ${paymentStatuses.join(", ")}.`,
    expectedAmount: "The amount that the order was created for. Absent if it was not created here.",
    payment: "The fact that gave the order its status.",
    paymentIds:
      "Every payment that the payment service returned for the order: more than one only if the response to a creation was lost.",
    flags: "The flags of all facts of the order, and its own: `unresolved` and `shortenedNumber`.",
  },
  PaymentSnapshot: {
    paymentId: "The payment.",
    orderNo: "The shop's own number of its order. Present if the payment is linked to an order.",
    refunds: "Its refunds, one entry each, sorted by `refundId`.",
    refundedAmount:
      "The sum of its successful refunds. Present if the payment is linked to an order.",
    flags: "The flags of all facts of the payment.",
  },
  PaymentDetails: {
    transactionId: "The wallet's transaction.",
    reason: "The payment service's message about a failure.",
    createdAt: "When the payment was created.",
    completedAt: "When the payment was completed.",
    amount: "The amount of the payment.",
    origin: "How the status became known. New values can appear at any time.",
    learnedAt: "When the status became known to Paycast.",
  },
  Refund: fieldNotes.Refund,
  Amount: fieldNotes.Amount,
  AmountWithoutCurrency: {
    value: "A decimal without trailing zeros.",
    minor: "Never present: minor units need a currency.",
    currency: "Never present: an amount with a currency is an Amount.",
  },
};

/** What each shape is. */
export const shapeNotes: Readonly<Record<PartName, string>> = {
  OrderEventData: "A fact about the payment of an order, and the order after it.",
  RefundEventData: "A fact about a refund, and the payment after it.",
  OrderSnapshot: "An order after a fact.",
  PaymentSnapshot: "A payment after a refund's fact.",
  PaymentDetails: "The fact that gave an order its status.",
  Refund: "One refund of a payment.",
  Amount: "An exact amount of money.",
  AmountWithoutCurrency:
    "The amount of a refund as the payment service sent it, without a currency. The payment is not linked to an order, or the amount has more decimals than the order's currency.",
};
