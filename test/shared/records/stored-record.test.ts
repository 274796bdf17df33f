import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFact } from "../../../shared/facts/read-fact.ts";
import { type InboxMessage, writeInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { newOrder } from "../../../shared/orders/order.ts";
import { newPayment } from "../../../shared/orders/payment.ts";
import type { CallbackRecord, PublishedRecord } from "../../../shared/records/callback-record.ts";
import type { FactContext } from "../../../shared/records/fact-context.ts";
import { planReceipt } from "../../../shared/records/plan-receipt.ts";
import { readRecord, recordItem } from "../../../shared/records/stored-record.ts";
import { itemBytes } from "../../../shared/table/attributes.ts";
import { orderResult, refundResult, sentAt } from "../../builders/callback.ts";
import { expected } from "../orders/facts.ts";
import { asRead } from "../table/as-read.ts";

const merchantId = "208800000000000001";
const subscriberNames = (count: number) =>
  Array.from({ length: count }, (_item, index) => `subscriber-${index}`);

type Changes = Readonly<Record<string, unknown>>;

/** A callback's message as receive-callback writes it. */
function messageOf(result: object, changes: Changes = {}): InboxMessage {
  const isRefund = "refundId" in result;
  return {
    origin: "callback",
    merchantId,
    content: { kind: "text", text: JSON.stringify(result), result },
    deduplication: { key: "10dd809bb5654abb8c7d8e0fc09c0f65", replayable: false },
    receivedAtMilliseconds: sentAt + 20,
    traceparent: "00-eacbc839faa2aa57c7322772eb35aec3-7420152ee66f5d42-00",
    callbackId: "10dd809b-b565-4abb-8c7d-8e0fc09c0f65",
    eventName: isRefund ? "payment.refund.success" : "payment.order.success",
    sentAtMilliseconds: sentAt,
    keyVersion: "2009f998-3f54-48e8-be36-24ca54b8bcdc",
    ...changes,
  } as InboxMessage;
}

const questionChanges = { origin: "query", paymentId: "PAY1", orderNo: "ORDER-2026-000042" };

function recordOf(message: InboxMessage, subscribers = 1): CallbackRecord {
  const receipt = { message, body: writeInboxMessage(message), group: "g" };
  return planReceipt(receipt, placeOf(message), false, {
    source: "urn:paycast:production",
    subscribers: subscriberNames(subscribers).map((name) => ({
      name,
      types: ["*"],
      queueUrl: name,
      ordered: true,
    })),
    recordExpiryDays: 90,
    now: () => sentAt + 100,
  }).record;
}

function placeOf(message: InboxMessage): FactContext {
  const fact = readFact(message)!;
  if (fact.kind === "payment") {
    const order = newOrder(merchantId, fact.orderNo);
    const paymentIds = ["PAY20261115000000000000000000042"];
    const aggregate = { ...order, expected, paymentIds };
    return { kind: "order", fact, aggregate, payments: [] };
  }
  const link = { orderNo: "ORDER-2026-000042", expected };
  const aggregate = { ...newPayment(merchantId, fact.paymentId), order: link };
  return { kind: "payment", fact, aggregate, order: undefined };
}

const usual = recordOf(messageOf(orderResult()));
const throughTable = (record: CallbackRecord) => readRecord(asRead(recordItem(record)));

describe("a record's item", () => {
  test.each([
    ["a payment's callback", usual],
    ["a payment's callback with three subscribers", recordOf(messageOf(orderResult()), 3)],
    ["a refund's callback", recordOf(messageOf(refundResult()))],
  ])("fits into three write units for %s", (_case, record) => {
    expect(itemBytes(recordItem(record))).toBeLessThanOrEqual(3_072);
  });

  test("holds the message and the event byte for byte, for people and tools that look into the table", () => {
    const message = messageOf(orderResult());
    const item = recordItem(recordOf(message));
    expect(item).toMatchObject({
      itemFormat: 1,
      origin: "callback",
      merchantId,
      message: writeInboxMessage(message),
      event: (usual as PublishedRecord).event,
      pending: new Set(["subscriber-0"]),
      delivered: {},
    });
  });

  test.each([
    ["the event's name is not signed", { eventName: undefined }],
    ["only the record stops a replay", { deduplication: { key: "hash", replayable: true } }],
    ["the id is not signed", { callbackId: undefined }],
    ["a query brought it", questionChanges],
    ["the text is not well-formed", { content: lonely() }],
    ["the text is so long that it is in base64", { content: long() }],
  ])("reads back as it was if %s", (_case, changes) => {
    const record = recordOf(messageOf(orderResult(), changes));
    expect(throughTable(record)).toEqual(record);
  });

  test("reads back as it was for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (msg, transactionId) => {
        const record = recordOf(messageOf(orderResult({ msg, transactionId })));
        expect(throughTable(record)).toEqual(record);
      }),
    );
  });

  test("of a newer format is not read", () => {
    const newer = { ...recordItem(usual), itemFormat: 2 };
    expect(() => readRecord(newer)).toThrow(
      expect.objectContaining({ code: "item-newer", retryable: true }),
    );
  });
});

function lonely() {
  const text = '{"merchantId":"208800000000000001","msg":"\ud800"}';
  return { kind: "text", text, result: orderResult({ msg: "\ud800" }) };
}

function long() {
  const result = orderResult({ msg: "é".repeat(60_000) });
  return { kind: "text", text: JSON.stringify(result), result };
}
