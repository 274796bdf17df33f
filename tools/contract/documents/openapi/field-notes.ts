import { flagWords } from "../../../../shared/facts/flag-words.ts";
import { words } from "../../../../shared/glossary.ts";
import type { Notes } from "../json-schema.ts";
import type { namedSchemas } from "./named-schemas.ts";

const flagTexts = Object.entries(flagWords).map(([flag, { means }]) => `\`${flag}\`: ${means}`);

/** What each field means, by schema. */
export const fieldNotes: Notes<typeof namedSchemas> = {
  NewOrder: {
    merchantId: "The merchant of the order. Required if the stack has several.",
    order: "The order itself.",
    channel: "Where the consumer is: a web shop or an app.",
    paymentAmount:
      "What the consumer pays: more than zero, with no more decimals than the currency has. A string is exact; a number may have at most 15 digits and no exponent.",
    currency: "ISO 4217 code in capitals.",
    paymentTime:
      "When the order was placed: milliseconds (13 digits) or seconds (10 digits) since 1970, or RFC 3339 with an offset. The default is now.",
    paymentExpiryTime:
      "When the order expires, in the format of `paymentTime`: 5 minutes to 24 hours after it. The default is 30 minutes after it.",
    callbackUrl:
      "Accepted but not used: the stack sends its own address, which the response names. A repeat may have another one.",
    redirectUrl:
      "Where the consumer returns after the checkout: any https address. If the stack's config has `redirectOrigins`, or its access is `open`, it must have one of the listed origins or, for channel APP, one of the listed schemes of apps.",
  },
  OrderContent: {
    orderNo: "The shop's own number of the order, any characters. Creation is idempotent by it.",
    orderAmount:
      "The order's total. If every good has an amount and a quantity, it must be their sum.",
    tips: "The consumer's tip.",
    discount: "Discount on the order.",
    totalTax: "Total tax. If every good has a tax and a quantity, it must be their sum.",
    insurance: "Insurance.",
    handlingFee: "Handling fee.",
    shipping: "How the order is shipped.",
    shippingDiscount: "Discount on shipping.",
    orderDescription: "A description of the order, for people.",
    goods: "What is bought.",
  },
  Goods: {
    referenceGoodsId: "The shop's own id of the good.",
    goodsName: "Its name.",
    goodsDesc: "Its description.",
    goodsAmount: "The amount for one piece.",
    goodsUnitAmount: "Another name of `goodsAmount`. Send only one of them.",
    tax: "The tax on one piece.",
    goodsQuantity: "How many pieces, or how much: a number above 0.",
  },
  Shipping: {
    shipType: "The kind of shipping.",
    amount: "The shipping fee.",
    name: "Who receives the goods.",
    address: "Where they are sent.",
  },
  Order: {
    merchantId: "The merchant whose order it is.",
    orderNo: "The shop's own number of the order, if known.",
    channel: "Where the consumer is: `WEB` or `APP`. Absent if the order was created elsewhere.",
    paymentId: "The payment that belongs to `checkoutUrl`.",
    payments:
      "Every payment that the payment service returned for the order, in the order in which they became known. There is more than one only if the response to a creation was lost and the order was sent again.",
    status: `The status: ${words.status}.`,
    statusOrigin: "Where the status comes from: the creation, a callback or a query.",
    statusAt: "When the status became known here.",
    stale:
      "True if the status may be wrong: the payment service did not respond or cannot be queried, its response contradicts the stored status or is not recorded yet, another request is querying it at this moment, or the order has a refund and no payment. False only for a status that the payment service has confirmed or that is settled.",
    outcomeUnknown:
      "True while it is unknown whether the payment service has the order, because the response to its creation was lost.",
    amount: "The amount of the order.",
    paidAmount: "What was paid; present after a success.",
    transactionId: "The wallet's transaction.",
    reason: "The payment service's message about a failure.",
    service:
      "The payment service's code and message when it rejected the order; present with `refused`.",
    checkoutUrl:
      "Where to send the consumer to pay. Present while the order is `pending`, until it expires, and only if no refund of it is known.",
    callbackUrl:
      "The address that was sent to the payment service for its callbacks: the stack's own. Absent if the order was created elsewhere.",
    createdAt: "When the payment was created.",
    completedAt: "When it was completed.",
    expiresAt: "When the order expires.",
    refunds: "Its refunds, one entry each.",
    refundedAmount: "What has been refunded so far.",
    refundStatus:
      "The latest status of a refund that is known, by callback or query. The payment was paid, even if its status does not say so yet. `refunds` has what callbacks reported.",
    flags: `What is unusual about the order or one of its payments. ${flagTexts.join(" ")}`,
    sequence:
      "How many facts of the order were published: the `sequence` of its latest `payment.order` event. Refunds count with their payments. A fact that a query has just found counts once it is recorded.",
  },
  OrderPayment: {
    paymentId: "The payment service's number of the payment.",
    sequence:
      "How many facts of its refunds were published: the `sequence` of its latest `payment.refund` event.",
  },
  Refund: {
    transactionId: "The wallet's transaction.",
    reason: "The payment service's message about a failure.",
    createdAt: "When the refund was created.",
    completedAt: "When it ended, successfully or not.",
    refundId: "The payment service's number of the refund.",
    paymentId: "The payment that is refunded.",
    refundNo: "The shop's own number of the refund.",
    status: "The status of the refund.",
    amount: "What was refunded; without a currency while its payment is not known.",
  },
  Amount: {
    value: "A decimal with exactly the currency's decimals.",
    minor: "In the currency's smallest unit, as digits.",
    currency: "ISO 4217 code.",
  },
  Problem: {
    type: "The kind of problem. Programs should decide by this field alone.",
    title: "The kind of problem in words.",
    status: "The HTTP status.",
    detail: "What to do about it.",
    errors: "Every fault of the body, up to 500.",
    retryAfterSeconds:
      "The number of seconds after which to send the request again; also in the header Retry-After.",
    paymentId:
      "The payment that the payment service created, if the rest of its response could not be used or stored.",
    service: "The payment service's own code and message.",
  },
  Fault: {
    pointer: "JSON pointer (RFC 6901) to where the fault is in the body.",
    detail: "What is wrong, and what is allowed.",
  },
  ServiceRefusal: {
    code: "The payment service's code, or `http-` and its HTTP status if it sent no code.",
    msg: "Its message.",
  },
  CallbackEnvelope: {
    id: "The callback's id, the same on every retry: a GUID, any text of up to 256 characters, or a number.",
    merchantId: "The merchant.",
    eventName: "What happened, such as `payment.order.success`.",
    format: "Format of the body.",
    charset: "Character set of the body.",
    encryptType: "Encryption of the body.",
    signType: "Kind of signature.",
    sign: "The signature.",
    timestamp: "When it was sent, in milliseconds since 1970.",
    body: "The encrypted result object.",
  },
  CallbackAnswer: {
    code: "20000 if the callback is stored.",
    msg: "Empty if the callback is stored.",
  },
};
