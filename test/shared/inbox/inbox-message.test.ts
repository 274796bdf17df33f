import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CallbackMessage,
  type InboxMessage,
  readInboxMessage,
  writeInboxMessage,
} from "../../../shared/inbox/inbox-message.ts";

const common = {
  version: 1,
  merchantId: "m",
  deduplication: { key: "k", replayable: false },
  receivedAtMilliseconds: 1,
  traceparent: "00-0-0-00",
} as const;

const callback = (plaintext: string): CallbackMessage => ({
  ...common,
  origin: "callback",
  plaintext,
  merchantIsSigned: true,
  callbackId: "c",
  eventName: "payment.order.success",
  sentAtMilliseconds: 2,
  verifiedBy: { versionId: "v", stage: "current" },
});

const query = (plaintext: string): InboxMessage => ({
  ...common,
  origin: "query",
  plaintext,
  paymentId: "P",
  orderNo: "订单",
});

const mostBytes = 1_048_576;
const wellFormed = fc.string({ unit: "grapheme" });

test("what is written is ASCII, and reads back the same", () => {
  fc.assert(
    fc.property(wellFormed, fc.constantFrom(callback, query), (plaintext, make) => {
      const text = writeInboxMessage(make(plaintext));
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      expect(readInboxMessage(text)).toEqual(make(plaintext));
    }),
  );
});

test.each([
  ["control characters", "\u0001"],
  ["quotes", '"'],
  ["two bytes each", "é"],
  ["three bytes each", "订"],
  ["four bytes each", "\u{1d49c}"],
])("the most that an envelope can hold fits in a message: %s", (_name, unit) => {
  const bytesOfPlaintext = 192 * 1024;
  const plaintext = unit.repeat(bytesOfPlaintext / Buffer.byteLength(unit));
  const text = writeInboxMessage(callback(plaintext));
  expect(text.length).toBeLessThan(mostBytes);
  expect(readInboxMessage(text)).toEqual(callback(plaintext));
});

test.each([
  ["no JSON", "{"],
  ["null", "null"],
  ["nothing", "{}"],
  ["an unknown version", JSON.stringify({ ...callback(""), version: 2 })],
  ["a field of another type", JSON.stringify({ ...callback(""), receivedAtMilliseconds: "1" })],
  ["an unknown encoding", JSON.stringify({ ...callback(""), plaintextEncoding: "hex" })],
  ["a query that names no payment", JSON.stringify({ ...query(""), paymentId: undefined })],
])("anything else is unreadable, and no retry mends it: %s", (_name, text) => {
  expect(() => readInboxMessage(text)).toThrow(
    expect.objectContaining({ code: "inbox-message-unreadable", retryable: false }),
  );
});
