import { randomUUID } from "node:crypto";
import { aggregateKeyOf } from "../../shared/facts/subject.ts";
import { writeStamped } from "../../shared/inbox/inbox-body.ts";
import { callbackEntry, subjectOfCallback } from "../../shared/inbox/send-to-inbox.ts";
import { readStampKey } from "../../shared/keys/stamp-keys.ts";
import { newOrder } from "../../shared/orders/order.ts";
import { aggregateItem } from "../../shared/orders/stored-aggregate.ts";
import { toAttributes } from "../../shared/table/attributes.ts";
import { aCreation, anAttempt, asCreated, expected } from "../shared/orders/facts.ts";
import { orderBody } from "../storefront/order.ts";
import { makeOpenWay, sealed } from "./callback-way.ts";
import { region } from "./load-function.ts";
import type { SampleMessage } from "./sample-message.ts";
import { secretOf } from "./start-sink.ts";

/* What the measured functions are called with, and in which environment. */

const queue = (name: string) => `https://sqs.${region}.amazonaws.com/123456789012/${name}`;
const tables = { CALLBACKS_TABLE: "callbacks", ORDERS_TABLE: "orders" };
/** sink.ts has one secret, whatever name it is asked for. */
const secretName = "keys";

export function receiveEnvironment({ merchantId }: SampleMessage) {
  return {
    INBOX_QUEUE_URL: queue("inbox.fifo"),
    STAMP_KEY: secretName,
    CALLBACK_KEYS: JSON.stringify({ [merchantId]: secretName }),
    CALLBACK_MAX_AGE_SECONDS: "691200",
    CALLBACK_MAX_AHEAD_SECONDS: "300",
    PREVIOUS_KEYS_SECONDS: "691200",
  };
}

export function callbackRequest(sample: SampleMessage) {
  return {
    body: JSON.stringify(sealed(sample, {})),
    isBase64Encoded: false,
    requestContext: { http: { sourceIp: "203.0.113.7" } },
  };
}

export function processEnvironment() {
  return {
    ...tables,
    INBOX_QUEUE_URL: queue("inbox.fifo"),
    INBOX_DEAD_LETTERS_URL: queue("dead-letters.fifo"),
    STAMP_KEY: secretName,
    SUBSCRIBERS: JSON.stringify([{ name: "fulfilment", types: ["*"], queue: "fulfilment.fifo" }]),
    RECORD_EXPIRY_DAYS: "90",
    EVENT_SOURCE: "urn:paycast:bench",
  };
}

/** Callbacks of so many orders, at most ten, as Lambda takes them from the inbox. */
export function inboxRecords(sample: SampleMessage, count: number) {
  const stampKey = { versionId: "one", keys: readStampKey({ text: secretOf(sample) }) };
  return Array.from({ length: count }, (_item, index) => {
    const plaintext = sample.plaintext.replace("ORDER-2026-000042", `ORDER-2026-00004${index}`);
    const callback = makeOpenWay({ ...sample, plaintext }, {})();
    const { sentAtMilliseconds, traceparent } = sample;
    const subject = subjectOfCallback(callback);
    const { message, group } = callbackEntry(callback, subject, sentAtMilliseconds, traceparent);
    return {
      messageId: randomUUID(),
      receiptHandle: randomUUID(),
      body: writeStamped(stampKey, group, message),
      attributes: {
        MessageGroupId: group,
        ApproximateReceiveCount: "1",
        SentTimestamp: `${sentAtMilliseconds}`,
      },
    };
  });
}

/** For the functions that call the payment service, which has the address `service`. */
export function serviceEnvironment({ merchantId }: SampleMessage, service: string) {
  const create = "/payment/api/v1/payment-order";
  const paths = { create, query: `${create}/query` };
  return {
    ...tables,
    RECORD_EXPIRY_DAYS: "90",
    REQUEST_KEYS: JSON.stringify({ [merchantId]: secretName }),
    GATEWAY: JSON.stringify({ baseUrl: service, pathPrefix: "", paths }),
    INBOX_QUEUE_URL: queue("inbox.fifo"),
    STAMP_KEY: secretName,
    CALLBACK_URL: "https://api.example/callbacks",
    REDIRECTS: JSON.stringify({ origins: undefined, loopback: false }),
  };
}

export function createRequest() {
  return { body: JSON.stringify(orderBody()), isBase64Encoded: false };
}

const paymentId = "P1";
const openOrderNo = "A";

/** An order that nobody has paid yet. */
export function openOrder(sample: SampleMessage): Record<string, object> {
  const { merchantId, sentAtMilliseconds } = sample;
  const named = { kind: "order", merchantId, orderNo: openOrderNo } as const;
  const order = asCreated({
    ...newOrder(merchantId, openOrderNo),
    revision: 2,
    expected,
    paymentIds: [paymentId],
    attempts: [anAttempt({ startedAtMilliseconds: sentAtMilliseconds, paymentId })],
    creation: { ...aCreation(sentAtMilliseconds), paymentId },
  });
  return { [aggregateKeyOf(named)]: toAttributes(aggregateItem(order)) };
}

export function queryRequest() {
  return { routeKey: "GET /orders/{orderNo}", pathParameters: { orderNo: openOrderNo } };
}
