import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFact } from "../../../shared/facts/read-fact.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import { type InboxMessage, writeInboxMessage } from "../../../shared/inbox/inbox-message.ts";
import { newOrder } from "../../../shared/orders/order.ts";
import { newPayment } from "../../../shared/orders/payment.ts";
import type { CallbackRecord, PublishedRecord } from "../../../shared/records/callback-record.ts";
import type { FactContext } from "../../../shared/records/fact-context.ts";
import { planReceipt } from "../../../shared/records/plan-receipt.ts";
import { readRecord, recordItem, wholeRecord } from "../../../shared/records/stored-record.ts";
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
    ["a payment's callback with ten subscribers", recordOf(messageOf(orderResult()), 10)],
    ["a refund's callback", recordOf(messageOf(refundResult()))],
  ])("fits into two write units for %s", (_case, record) => {
    expect(itemBytes(recordItem(record))).toBeLessThanOrEqual(2_048);
  });

  test("has the indexed attributes and the plaintext as they are, for people who look into the table", () => {
    const { message, event, ...item } = recordItem(usual);
    expect(item).toMatchObject({
      merchantId,
      group: groupOf({ kind: "order", merchantId, orderNo: "ORDER-2026-000042" }),
      type: "payment.order.success",
      sequence: 1,
      keyVersion: "2009f998-3f54-48e8-be36-24ca54b8bcdc",
      callbackId: "10dd809b-b565-4abb-8c7d-8e0fc09c0f65",
      pending: new Set(["subscriber-0"]),
    });
    expect(message).toMatchObject({ body: JSON.stringify(orderResult()) });
    expect(Object.keys(JSON.parse(String(event)))).toEqual(["source", "data"]);
  });

  test("has no more of a refund's event than its source and data", () => {
    const { event } = recordItem(recordOf(messageOf(refundResult())));
    expect(Object.keys(JSON.parse(String(event)))).toEqual(["source", "data"]);
  });

  test("has no flags if there are none, and no event if the fact was known", () => {
    const plain = { ...usual, flags: [] };
    expect(recordItem(plain)).not.toHaveProperty("flags");
    expect(throughTable(plain)).toEqual(plain);
    const {
      outcome: _outcome,
      event: _event,
      sequence: _sequence,
      ...rest
    } = usual as PublishedRecord;
    const { timeBucket: _t, recipients: _r, pending: _p, keptUntil: _k, ...common } = rest;
    const known = { ...common, outcome: "known-fact" as const };
    expect(throughTable(known)).toEqual(known);
    expect(typeof recordItem(known)["message"]).toBe("object");
  });

  test("that an earlier version stored gives the bytes that were sent then", () => {
    const { message, event } = readRecord(storedThen) as typeof usual & { event: string };
    expect(message).toBe(
      '{"version":1,"origin":"callback","merchantId":"M1","body":"{\\"msg\\":\\"\\u00e9\\"}","bodyForm":"text","deduplication":{"key":"c1","replayable":false},"receivedAtMilliseconds":1794705765143,"traceparent":"00-1-2-01","callbackId":"C-1","eventName":"payment.order.success","sentAtMilliseconds":1794705765123,"keyVersion":"v1"}',
    );
    expect(event).toBe(
      '{"specversion":"1.0","id":"fact","source":"urn:s","time":"2026-11-15T01:22:44.123Z","datacontenttype":"application/json","partitionkey":"0a1b","sequence":"0000000007","origin":"callback","traceparent":"00-1-2-01","subject":"A","type":"payment.order.success","dataschema":"urn:paycast:schema:payment-order-event:1","data":{"orderNo":"A","completedAt":"2026-11-15T01:22:44.123Z"}}',
    );
  });

  test("by another version is rejected instead of returning a part of its event", () => {
    const { receivedAt: _receivedAt, ...other } = storedThen;
    expect(() => wholeRecord(other)).toThrow("by another version");
    for (const callbackKey of ["M1#other#c1", "M0#M1#callback#c1"]) {
      expect(() => wholeRecord({ ...storedThen, callbackKey })).toThrow();
    }
  });

  test.each([
    ["the event's name is not signed", { eventName: undefined }, "string"],
    [
      "only the record stops a replay",
      { deduplication: { key: "hash", replayable: true } },
      "string",
    ],
    ["the id is not signed", { callbackId: undefined }, "object"],
    ["a query brought it", questionChanges, "object"],
    ["the text is not well-formed", { content: lonely() }, "string"],
    ["the text is so long that it is in base64", { content: long() }, "object"],
  ])("reads back as it was if %s", (_case, changes, stored) => {
    const record = recordOf(messageOf(orderResult(), changes));
    expect(throughTable(record)).toEqual(record);
    expect(typeof recordItem(record)["message"]).toBe(stored);
    expect("origin" in recordItem(record)).toBe(stored === "string");
  });

  test("reads back as it was for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (msg, transactionId) => {
        const record = recordOf(messageOf(orderResult({ msg, transactionId })));
        expect(throughTable(record)).toEqual(record);
      }),
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

const storedThen = {
  callbackKey: "M1#callback#c1",
  receipt: "first",
  merchantId: "M1",
  callbackId: "C-1",
  keyVersion: "v1",
  group: "0a1b",
  type: "payment.order.success",
  factId: "fact",
  receivedAt: "2026-11-15T01:22:45.143Z",
  recordedAt: "2026-11-15T01:22:45.200Z",
  outcome: "published",
  sequence: 7,
  timeBucket: "2026-11-15T01#3",
  recipients: ["a"],
  message: { traceparent: "00-1-2-01", sentAtMilliseconds: 1_794_705_765_123, body: '{"msg":"é"}' },
  event: '{"source":"urn:s","data":{"orderNo":"A","completedAt":"2026-11-15T01:22:44.123Z"}}',
};
