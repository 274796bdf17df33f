import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallbackContent } from "../../../shared/envelope/open-callback.ts";
import {
  type CallbackMessage,
  contentHash,
  type InboxMessage,
  readInboxMessage,
  subjectOfMessage,
  writeInboxMessage,
} from "../../../shared/inbox/inbox-message.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { stamped } from "../../builders/stamp.ts";

const common = {
  merchantId: "m",
  deduplication: { key: "k", replayable: false },
  receivedAtMilliseconds: 1,
  traceparent: "00-0-0-00",
} as const;

const textOf = (text: string) => ({ kind: "text", text, result: parseJson(text) }) as const;

const callback = (content: CallbackContent): CallbackMessage => ({
  ...common,
  origin: "callback",
  content,
  callbackId: "c",
  eventName: "payment.order.success",
  sentAtMilliseconds: 2,
  keyVersion: "v",
});

const query = (content: CallbackContent): InboxMessage => ({
  ...common,
  origin: "query",
  content,
  paymentId: "P",
  orderNo: "订单",
});

/** DynamoDB takes 400 KB, and a record holds more than the message. */
const mostOfRecord = 300_000;
const wellFormed = fc.string({ unit: "grapheme" });

test("what is written is ASCII, and reads back the same", () => {
  fc.assert(
    fc.property(wellFormed, fc.constantFrom(callback, query), (plaintext, make) => {
      const text = writeInboxMessage(make(textOf(plaintext)));
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      expect(readInboxMessage(text)).toEqual(make(textOf(plaintext)));
    }),
  );
});

test.each([
  ["control characters", "\u0001"],
  ["quotes", '"'],
  ["two bytes each", "é"],
  ["three bytes each", "订"],
  ["four bytes each", "\u{1d49c}"],
])(
  "the most that an envelope can hold fits in a message, and that in a record: %s",
  (_name, unit) => {
    const bytesOfPlaintext = 192 * 1024;
    const plaintext = unit.repeat(bytesOfPlaintext / Buffer.byteLength(unit));
    const text = writeInboxMessage(callback(textOf(plaintext)));
    expect(text.length).toBeLessThan(mostOfRecord);
    expect(readInboxMessage(text)).toEqual(callback(textOf(plaintext)));
  },
);

test("a message about an order whose number is a long JSON number is about the same order as with a string", () => {
  const written = (orderNo: string) => callback(textOf(`{"referOrderNo":${orderNo}}`));
  const subject = { kind: "order", merchantId: "m", orderNo: "12345678901234567890" };
  expect(subjectOfMessage(written("12345678901234567890"))).toEqual(subject);
  expect(subjectOfMessage(written('"12345678901234567890"'))).toEqual(subject);
  expect(subjectOfMessage(written("1e999999999"))).toBeUndefined();
});

function changed(fields: object): string {
  return JSON.stringify({ ...JSON.parse(writeInboxMessage(callback(textOf("{}")))), ...fields });
}

test.each([
  ["no JSON", "{"],
  ["null", "null"],
  ["nothing", "{}"],
  ["an unknown version", changed({ version: 0 })],
  ["no version", changed({ version: "2" })],
  ["a field of another type", changed({ receivedAtMilliseconds: "1" })],
  ["an unknown form of the body", changed({ bodyForm: "hex" })],
  ["a query that names no payment", changed({ origin: "query" })],
])("anything else is unreadable, and no retry fixes it: %s", (_name, text) => {
  expect(() => readInboxMessage(text)).toThrow(
    expect.objectContaining({ code: "inbox-message-unreadable", retryable: false }),
  );
});

test("a message of a newer version waits for that version, whatever else it says", () => {
  for (const text of [changed({ version: 2 }), '{"version":3}']) {
    expect(() => readInboxMessage(text)).toThrow(
      expect.objectContaining({ code: "inbox-message-newer", retryable: true }),
    );
  }
});

test("bytes that are not UTF-8 come through as they are", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const content = { kind: "not-utf-8", bytes: Buffer.from(bytes) } as const;
      expect(readInboxMessage(writeInboxMessage(callback(content)))).toEqual(callback(content));
    }),
  );
});

test("a byte order mark in front of the JSON is kept in the text and not read", () => {
  const text = '\ufeff{"status":"success"}';
  const { content } = readInboxMessage(writeInboxMessage(callback(textOf(text))));
  expect(content).toEqual({ kind: "text", text, result: { status: "success" } });
});

test("two contents never share a hash, whatever kind they are of", () => {
  const bytes = Buffer.from("{}");
  const contents: CallbackContent[] = [textOf("{}"), textOf("{ }"), { kind: "not-utf-8", bytes }];
  expect(new Set(contents.map(contentHash)).size).toBe(contents.length);
});

test("a stamped message fits into 256 KiB, however much of the largest body has to be escaped", () => {
  const part = (share: number) => `${'"'.repeat(share)}${"x".repeat(10 - share)}`;
  for (let share = 0; share <= 10; share += 1) {
    const text = JSON.stringify({ text: part(share) }).padEnd(185_000, part(share));
    const message = writeInboxMessage({
      origin: "query",
      merchantId: "m",
      orderNo: "o",
      paymentId: "p",
      traceparent: "t",
      content: { kind: "text", text, result: undefined },
      deduplication: { key: "k", replayable: false },
      receivedAtMilliseconds: 0,
    });
    expect(stamped("g".repeat(64), message).length, `${share}`).toBeLessThan(262_144);
    expect(readInboxMessage(message).content).toMatchObject({ text });
  }
});
