import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { queryMessageOf } from "../../../shared/inbox/send-to-inbox.ts";
import { createFailingSince } from "../../../shared/processing/failing-since.ts";
import { describeProcessing, identify } from "../../../shared/processing/processing-line.ts";
import { createDeadLetters } from "../../../shared/processing/send-to-dead-letters.ts";
import type { CallbackRecord } from "../../../shared/records/callback-record.ts";
import { orderResult, refundResult } from "../../builders/callback.ts";
import { refundFact, successFact } from "../orders/facts.ts";

/** Made with `printf C-1 | sha256sum`: an id that is no GUID is logged as its hash. */
const hashOfC1 = "sha256:07e9a9696557f5c8f882be06e799bc096a740341e798ddd7337614f5ffc1a070";

const merchantId = "208800000000000001";
const queued = {
  messageId: "m",
  receiptHandle: "r",
  group: "g",
  body: "body",
  receiveCount: 1,
  sentAtMilliseconds: 0,
};
const record = (outcome: CallbackRecord["outcome"]) =>
  ({
    outcome,
    callbackId: "C-1",
    factId: "fact",
    sequence: 7,
    flags: [],
  }) as unknown as CallbackRecord;
const nothing = { delivered: [], failures: [] };

function lineOf(outcome: CallbackRecord["outcome"], over: object = {}) {
  const recorded = { record: record(outcome), isNew: true };
  const processed = {
    fact: successFact(),
    recorded,
    delivery: nothing,
    ending: "delivered" as const,
  };
  return describeProcessing(queued, { ...processed, ...over }, 100, 130);
}

test("a line says how long it took, and of what it was about", () => {
  const [fields] = lineOf("published");
  expect(fields).toMatchObject({
    durationMilliseconds: 30,
    orderNo: "A",
    eventId: "fact",
    sequence: 7,
  });
  expect(fields.errorName).toBeUndefined();
  const [refund] = lineOf("known-fact", { fact: refundFact() });
  expect(refund).toMatchObject({
    paymentId: "P1",
    refundId: "R1",
    eventName: "payment.refund.success",
  });
  expect(refund.sequence).toBeUndefined();
});

test("a record in quarantine names no event, and counts as seen before", () => {
  const [fields, metrics] = lineOf("quarantined");
  expect([fields.outcome, fields.callbackId, metrics]).toEqual([
    "duplicate",
    hashOfC1,
    { Duplicate: 1 },
  ]);
  expect(fields).not.toHaveProperty("eventId");
});

test("one that got it and one that did not make a resumed receipt, each error named once", () => {
  const failures = ["stock", "tax"].map((subscriber) => ({
    subscriber,
    errorName: "No",
    kind: "refused" as const,
  }));
  const recorded = { record: record("published"), isNew: false };
  const other = { subscriber: "vat", errorName: "Gone", kind: "gone" as const };
  const delivery = { delivered: ["a", "b", "c"], failures: [...failures, other] };
  const [fields] = lineOf("published", { recorded, delivery });
  expect(fields).toMatchObject({ outcome: "resumed", errorName: "No, Gone" });
});

test.each([
  [orderResult(), "payment.order.success", { orderNo: "ORDER-2026-000042", callbackId: hashOfC1 }],
  [
    refundResult(),
    "payment.refund.success",
    { paymentId: "PAY20261115000000000000000000042", callbackId: hashOfC1 },
  ],
  [orderResult(), "payment.gift", { callbackId: hashOfC1 }],
])("a callback's line names what the callback names", (result, eventName, about) => {
  const content = { kind: "text" as const, text: JSON.stringify(result), result };
  const message = {
    origin: "callback" as const,
    merchantId,
    callbackId: "C-1",
    eventName,
    content,
    deduplication: { key: "c", replayable: false },
    receivedAtMilliseconds: 0,
    traceparent: "",
    keyVersion: "v",
  };
  expect(JSON.parse(JSON.stringify(identify(message)))).toEqual({ merchantId, ...about });
});

test("a query's line names the order that was asked about, and no callback", () => {
  const asked = { merchantId, orderNo: "A", paymentId: "P1", answer: {} };
  const message = queryMessageOf({ ...asked, receivedAtMilliseconds: 0, traceparent: "" });
  const withCallback = { ...message, callbackId: "no" };
  const named = identify(withCallback);
  expect(JSON.parse(JSON.stringify(named))).toEqual({ merchantId, orderNo: "A" });
  expect(identify(undefined)).toEqual({});
});

test("a dead letter has the message unchanged, its reason, and a deduplication id of its own", async () => {
  const sent: Record<string, unknown>[] = [];
  const send = async ({ input }: { input: Record<string, unknown> }) => void sent.push(input);
  const why = new PaycastError("item-too-large", "Too large.");
  const deadLetters = createDeadLetters({ send } as unknown as SQSClient, "dead");
  await deadLetters(queued, why);
  await deadLetters({ ...queued, messageId: "n" }, why);
  expect(sent[0]).toEqual({
    QueueUrl: "dead",
    MessageBody: "body",
    MessageGroupId: "g",
    MessageDeduplicationId: expect.stringMatching(/^[0-9a-f]{64}$/),
    MessageAttributes: {
      reason: { DataType: "String", StringValue: "item-too-large" },
      detail: { DataType: "String", StringValue: "Too large." },
    },
  });
  expect(sent[1]!["MessageDeduplicationId"]).not.toBe(sent[0]!["MessageDeduplicationId"]);
});

test("as many failing messages are remembered as a queue can have in flight, then the oldest is forgotten", () => {
  const failingSince = createFailingSince();
  const ids = Array.from({ length: 120_000 }, (_item, index) => `message ${index}`);
  for (const id of ids) failingSince(id, 1);
  expect(ids.filter((id) => failingSince(id, 2) !== 1)).toEqual([]);
  failingSince("one more", 1);
  expect(failingSince("message 1", 2)).toBe(1);
  expect(failingSince("message 0", 2)).toBe(2);
});
