/* Written by `npm run docs` from the schemas in shared/events. */

import type { Shape } from "./find-fault.ts";

export const shapes: Readonly<Record<string, Shape>> = {
  Envelope: {
    type: "object",
    required: [
      "specversion",
      "id",
      "source",
      "time",
      "datacontenttype",
      "partitionkey",
      "sequence",
      "origin",
      "traceparent",
    ],
    properties: {
      specversion: { const: "1.0" },
      id: { type: "string", minLength: 1 },
      source: { type: "string", minLength: 1 },
      subject: { type: "string" },
      time: { type: "string" },
      datacontenttype: { const: "application/json" },
      partitionkey: { type: "string" },
      sequence: { type: "string", pattern: "^[0-9]{10}$" },
      origin: { type: "string" },
      traceparent: { type: "string" },
    },
  },
  Amount: {
    type: "object",
    required: ["value", "minor", "currency"],
    properties: {
      value: { type: "string", pattern: "^[0-9]+(\\.[0-9]+)?$" },
      minor: { type: "string", pattern: "^[0-9]+$" },
      currency: { type: "string", pattern: "^[A-Z]{3}$" },
    },
  },
  AmountWithoutCurrency: {
    type: "object",
    required: ["value"],
    properties: {
      value: { type: "string", pattern: "^[0-9]+(\\.[0-9]+)?$" },
      minor: { not: {} },
      currency: { not: {} },
    },
  },
  PaymentDetails: {
    type: "object",
    properties: {
      transactionId: { type: "string" },
      reason: { type: "string" },
      createdAt: { type: "string" },
      completedAt: { type: "string" },
      amount: { shape: "Amount" },
      origin: { type: "string" },
      learnedAt: { type: "string" },
    },
  },
  Refund: {
    type: "object",
    required: ["refundId", "paymentId", "status"],
    properties: {
      refundId: { type: "string" },
      paymentId: { type: "string" },
      refundNo: { type: "string" },
      status: { enum: ["refunding", "refund_failed", "refund_success"] },
      amount: { anyOf: [{ shape: "Amount" }, { shape: "AmountWithoutCurrency" }] },
      transactionId: { type: "string" },
      reason: { type: "string" },
      createdAt: { type: "string" },
      completedAt: { type: "string" },
    },
  },
  OrderSnapshot: {
    type: "object",
    required: ["orderNo", "status", "payment", "paymentIds", "flags"],
    properties: {
      orderNo: { type: "string" },
      status: { enum: ["pending", "confirming", "timeout", "failed", "success"] },
      expectedAmount: { shape: "Amount" },
      payment: { shape: "PaymentDetails" },
      paymentIds: { type: "array", items: { type: "string" } },
      flags: { type: "array", items: { type: "string" } },
    },
  },
  PaymentSnapshot: {
    type: "object",
    required: ["paymentId", "refunds", "flags"],
    properties: {
      paymentId: { type: "string" },
      orderNo: { type: "string" },
      refunds: { type: "array", items: { shape: "Refund" } },
      refundedAmount: { shape: "Amount" },
      flags: { type: "array", items: { type: "string" } },
    },
  },
  OrderEventData: {
    type: "object",
    required: ["merchantId", "flags", "orderNo", "status", "order"],
    properties: {
      merchantId: { type: "string" },
      transactionId: { type: "string" },
      reason: { type: "string" },
      createdAt: { type: "string" },
      completedAt: { type: "string" },
      callbackId: { type: "string" },
      flags: { type: "array", items: { type: "string" } },
      orderNo: { type: "string" },
      paymentId: { type: "string" },
      status: { enum: ["pending", "confirming", "timeout", "failed", "success"] },
      amount: { shape: "Amount" },
      order: { shape: "OrderSnapshot" },
    },
  },
  RefundEventData: {
    type: "object",
    required: ["merchantId", "flags", "paymentId", "refundId", "status", "payment"],
    properties: {
      merchantId: { type: "string" },
      transactionId: { type: "string" },
      reason: { type: "string" },
      createdAt: { type: "string" },
      completedAt: { type: "string" },
      callbackId: { type: "string" },
      flags: { type: "array", items: { type: "string" } },
      paymentId: { type: "string" },
      refundId: { type: "string" },
      refundNo: { type: "string" },
      orderNo: { type: "string" },
      status: { enum: ["refunding", "refund_failed", "refund_success"] },
      amount: { anyOf: [{ shape: "Amount" }, { shape: "AmountWithoutCurrency" }] },
      payment: { shape: "PaymentSnapshot" },
    },
  },
};

/** What holds for the events of each type, in addition to the envelope. */
export const typeShapes: Readonly<Record<string, Shape>> = {
  "payment.order.confirming": {
    required: ["data"],
    properties: {
      dataschema: { const: "urn:paycast:schema:payment-order-event:1" },
      data: {
        shape: "OrderEventData",
        type: "object",
        properties: { status: { const: "confirming" } },
      },
    },
  },
  "payment.order.timeout": {
    required: ["data"],
    properties: {
      dataschema: { const: "urn:paycast:schema:payment-order-event:1" },
      data: {
        shape: "OrderEventData",
        type: "object",
        properties: { status: { const: "timeout" } },
      },
    },
  },
  "payment.order.success": {
    required: ["data"],
    properties: {
      dataschema: { const: "urn:paycast:schema:payment-order-event:1" },
      data: {
        shape: "OrderEventData",
        type: "object",
        required: ["amount"],
        properties: { status: { const: "success" }, amount: {} },
      },
    },
  },
  "payment.order.failed": {
    required: ["data"],
    properties: {
      dataschema: { const: "urn:paycast:schema:payment-order-event:1" },
      data: {
        shape: "OrderEventData",
        type: "object",
        properties: { status: { const: "failed" } },
      },
    },
  },
  "payment.refund.success": {
    required: ["data"],
    properties: {
      dataschema: { const: "urn:paycast:schema:payment-refund-event:1" },
      data: {
        shape: "RefundEventData",
        type: "object",
        required: ["amount"],
        properties: { status: { const: "refund_success" }, amount: {} },
      },
    },
  },
  "payment.refund.failed": {
    required: ["data"],
    properties: {
      dataschema: { const: "urn:paycast:schema:payment-refund-event:1" },
      data: {
        shape: "RefundEventData",
        type: "object",
        properties: { status: { const: "refund_failed" } },
      },
    },
  },
};
