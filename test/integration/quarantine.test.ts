import { randomUUID } from "node:crypto";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, test } from "vitest";
import { contentHash, readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { sealedCallback } from "../builders/callback.ts";
import { storeOrder } from "./aggregates.ts";
import {
  type Fields,
  paymentCallback,
  queuedPayment,
  queuedRefund,
  type Told,
} from "./callbacks.ts";
import { canaryName } from "./canaries.ts";
import { sendTo, to } from "./fault-proxy.ts";
import { eventsOf, logOf, orderItem, post, process, pump, quarantined, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { useWorlds, type World } from "./world.ts";

const makeWorld = useWorlds();
let world: World;
let processor: Instance;
beforeAll(async () => {
  world = await makeWorld();
  processor = await world.start("process-callback");
});

const merchantId = "208800000000000001";

/** A payment's plaintext, with one text replaced in it. */
function spoiled(from: string, into: string): Told {
  const result = {
    merchantId,
    referOrderNo: "A",
    transactionId: "T",
    paymentAmount: 12.5,
    currency: "EUR",
    completeTime: 1794705764123,
    status: "success",
    consumer: canaryName,
  };
  const plaintext = JSON.stringify(result).replace(from, into);
  return { plaintext };
}

/** Whoever compares its length to a number throws. */
const trap = { length: { valueOf: 1, toString: 1 } };

const unreadable: [name: string, reason: string, result: Fields, told: Told][] = [
  ["an event that is unknown", "event-unknown", {}, { eventName: "payment.order.paid" }],
  ["an event against the status", "event-differs", {}, { eventName: "payment.order.failed" }],
  ["a status of create", "event-differs", { status: "pending" }, {}],
  ["a status that is unknown", "result-unreadable", { status: "paid" }, {}],
  ["no merchant", "merchant-differs", { merchantId: undefined }, {}],
  ["another merchant", "merchant-differs", { merchantId: "208800000000000002" }, {}],
  ["no order number", "result-unreadable", { referOrderNo: undefined }, {}],
  ["an order number of 65 characters", "result-unreadable", { referOrderNo: "x".repeat(65) }, {}],
  ["half a surrogate pair", "result-unreadable", { referOrderNo: "\ud83d" }, {}],
  ["an object for the order number", "result-unreadable", { referOrderNo: trap }, {}],
  ["a list for the transaction", "result-unreadable", { transactionId: ["T"] }, {}],
  ["an object for the currency", "result-unreadable", { currency: trap }, {}],
  ["a success without an amount", "result-unreadable", { paymentAmount: null }, {}],
  ["a success without a currency", "result-unreadable", { currency: "" }, {}],
  ["a currency that is none", "currency-unknown", { currency: "XXX" }, {}],
  ["a negative amount", "amount-negative", { paymentAmount: -1 }, {}],
  ["too many decimals", "amount-too-precise", { paymentAmount: "1.234" }, {}],
  ["an amount in words", "amount-malformed", { paymentAmount: "ten" }, {}],
  ["more digits than a double holds", "number-inexact", {}, spoiled("12.5", "90071992547409.93")],
  ["a number rounded to few digits", "number-inexact", {}, spoiled("12.5", "12.50000000000000001")],
  ["exponent notation", "number-inexact", {}, spoiled("12.5", "1e3")],
  ["no JSON", "result-unreadable", {}, { plaintext: "status=success" }],
  ["a list", "result-unreadable", {}, { plaintext: "[]" }],
  ["null", "result-unreadable", {}, { plaintext: "null" }],
];

async function expectQuarantined(message: { body: string; group: string }, reason: string) {
  const [letter, ...more] = await quarantined(world);
  expect(more).toEqual([]);
  expect(letter).toMatchObject({ body: message.body, group: message.group, reason });
  expect(letter!.detail).toMatch(/\.$/);
  expect(letter!.detail).not.toContain(canaryName);
}

describe("an authentic callback that cannot be read for sure is set aside with its reason, and its group goes on", () => {
  test.each(unreadable)("%s: %s", async (_name, reason, result, told) => {
    const message = queuedPayment(world, result, told);
    const next = queuedPayment(world, { referOrderNo: randomUUID() });
    expect(await process(processor, message, { ...next, group: message.group })).toEqual([]);
    await expectQuarantined(message, reason);
    const [first, second] = logOf(processor).slice(-2);
    expect(first).toMatchObject({ outcome: "quarantined", reason, Quarantined: 1 });
    expect(second).toMatchObject({ outcome: "published" });
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });

  const badRefunds: [string, string, Fields][] = [
    ["no refund id", "result-unreadable", { refundId: undefined }],
    ["no payment id", "result-unreadable", { paymentId: "" }],
    ["a success without an amount", "result-unreadable", { refundAmount: undefined }],
    ["more decimals than any currency", "amount-too-precise", { refundAmount: "1.23456" }],
    ["an id that no record can be kept under", "result-unreadable", { refundId: "__proto__" }],
  ];
  test.each(badRefunds)("a refund with %s: %s", async (_name, reason, result) => {
    const message = queuedRefund(world, result);
    expect(await process(processor, message)).toEqual([]);
    await expectQuarantined(message, reason);
  });
});

test.each([
  ["no JSON", "hello"],
  ["nothing known", "{}"],
  ["another version", '{"version":2,"origin":"callback"}'],
  ["an unknown origin", '{"version":1,"origin":"rumour"}'],
  ["a list", "[1]"],
  ["objects with a length", '{"version":1,"origin":"query","merchantId":{"length":{"valueOf":1}}}'],
])("a message that Paycast did not write is set aside as it is: %s", async (_name, body) => {
  const stray = { messageId: randomUUID(), group: "stray", body };
  const next = queuedPayment(world, { referOrderNo: randomUUID() });
  expect(await process(processor, stray, next)).toEqual([]);
  await expectQuarantined(stray, "inbox-message-unreadable");
  expect(await eventsOf(world, "books")).toHaveLength(1);
});

test("a message that cannot be set aside stays in the inbox, and so does its group; other groups go on", async () => {
  const error = { status: 403, type: "AccessDenied" };
  processor.faults.fail(sendTo(world.deadLettersUrl), { kind: "refuse", error });
  const referOrderNo = randomUUID();
  const bad = queuedPayment(world, { referOrderNo, status: "paid" });
  const behind = queuedPayment(world, { referOrderNo });
  const other = queuedPayment(world, { referOrderNo: "OTHER" });
  const failed = await process(processor, bad, other, behind);
  processor.faults.heal();
  expect(failed.sort()).toEqual([bad.messageId, behind.messageId].sort());
  const events = await eventsOf(world, "books");
  expect(events.map(({ subject }) => subject)).toEqual(["OTHER"]);
});

test("a message that is handed over twice is set aside once", async () => {
  const bad = queuedPayment(world, { status: "paid" });
  await process(processor, bad);
  await process(processor, bad);
  expect(await quarantined(world)).toHaveLength(1);
});

test("what was set aside is processed when it is sent back to the inbox after a fix", async () => {
  const receiver = await world.start("receive-callback");
  const envelope = paymentCallback(world, { referOrderNo: randomUUID() });
  expect((await post(receiver, envelope)).statusCode).toBe(200);
  // Stands for any cause that a person has to fix.
  const type = "com.amazonaws.dynamodb.v20120810#ValidationException";
  const fields = { message: "Item size has exceeded the maximum allowed size" };
  const error = { status: 400, type, fields };
  processor.faults.fail(to("dynamodb", "TransactWriteItems"), { kind: "refuse", error });
  await pump(world, processor);
  const [letter] = await quarantined(world);
  expect(letter).toMatchObject({ reason: "item-too-large" });
  processor.faults.heal();
  await world.sqs.send(
    new SendMessageCommand({
      QueueUrl: world.inboxUrl,
      MessageBody: letter!.body,
      MessageGroupId: letter!.group,
      MessageDeduplicationId: randomUUID(),
    }),
  );
  await pump(world, processor);
  expect(await eventsOf(world, "books")).toHaveLength(1);
  expect(await quarantined(world)).toEqual([]);
});

test("a callback as large as receive-callback takes is recorded and published", async () => {
  const filler = "\u00e9".repeat(90_000);
  const message = queuedPayment(world, { referOrderNo: randomUUID(), filler });
  expect(await process(processor, message)).toEqual([]);
  expect(await quarantined(world)).toEqual([]);
  expect(await eventsOf(world, "books")).toHaveLength(1);
});

test("a callback of an order that has no more room in the table is set aside, not tried again and again", async () => {
  const referOrderNo = "FULL";
  await storeOrder(world, referOrderNo, { filler: "x".repeat(409_250) });
  const message = queuedPayment(world, { referOrderNo });
  expect(await process(processor, message)).toEqual([]);
  await expectQuarantined(message, "item-too-large");
});

describe("what only informs", () => {
  const informs: [name: string, result: Fields, flag: string][] = [
    ["a time of ten digits", { completeTime: 1794705764 }, "unreadableTime"],
    ["a time as RFC 3339", { paymentTime: "2026-11-15T01:22:45Z" }, "unreadableTime"],
    ["an object for the time", { completeTime: trap }, "unreadableTime"],
    ["an object for the message", { msg: trap }, "unreadableReason"],
    ["half a surrogate pair in the message", { msg: "\ud83d" }, "unreadableReason"],
  ];
  test.each(informs)("does not hold money back: %s", async (_name, result, flag) => {
    const message = queuedPayment(world, { referOrderNo: randomUUID(), ...result });
    expect(await process(processor, message)).toEqual([]);
    expect(await quarantined(world)).toEqual([]);
    const [event] = await eventsOf(world, "books");
    expect(event!.data.flags).toContain(flag);
    expect(event!.data.status).toBe("success");
  });

  test("is cut where it is long: a message of 200,000 characters", async () => {
    const message = queuedPayment(world, { referOrderNo: randomUUID(), msg: "x".repeat(150_000) });
    expect(await process(processor, message)).toEqual([]);
    const [event] = await eventsOf(world, "books");
    expect(event!.data.reason).toHaveLength(256);
  });
});

describe("the record of what was quarantined", () => {
  /** The world is shared, and its records are not removed. */
  const recordOf = async (body: string) =>
    (await records(world)).find(({ message }) => message === body);

  test("holds the exact message and the reason, and does not expire", async () => {
    const message = queuedPayment(world, { status: "paid" });
    await process(processor, message);
    await quarantined(world);
    const record = await recordOf(message.body);
    expect(record).toMatchObject({
      outcome: "quarantined",
      reason: "result-unreadable",
      group: message.group,
    });
    expect(record).not.toHaveProperty("expiresAt");
  });

  test("brings it back under a fresh deduplication id, long after the dead letter is gone", async () => {
    const referOrderNo = randomUUID();
    const message = queuedPayment(world, { referOrderNo });
    const fields = { message: "Item size has exceeded the maximum allowed size" };
    const type = "com.amazonaws.dynamodb.v20120810#ValidationException";
    const refused = { kind: "refuse", error: { status: 400, type, fields } } as const;
    processor.faults.fail(to("dynamodb", "TransactWriteItems"), refused, { times: 1 });
    await process(processor, message);
    await quarantined(world);
    const { message: body, group } = (await recordOf(message.body))!;
    const MessageDeduplicationId = randomUUID();
    const letter = { MessageBody: String(body), MessageGroupId: String(group) };
    await world.sqs.send(
      new SendMessageCommand({ QueueUrl: world.inboxUrl, ...letter, MessageDeduplicationId }),
    );
    await pump(world, processor);
    expect(await eventsOf(world, "books")).toHaveLength(1);
    expect(await recordOf(message.body)).toMatchObject({ outcome: "published" });
  });

  test("stands beside another content under the same id, whichever of them is understood", async () => {
    const id = randomUUID();
    const good = queuedPayment(world, { referOrderNo: randomUUID() }, { id });
    const bad = queuedPayment(world, { referOrderNo: randomUUID(), status: "paid" }, { id });
    for (const message of [bad, good, bad, good]) {
      expect(await process(processor, message)).toEqual([]);
    }
    expect(await quarantined(world)).toHaveLength(1);
    const [event, ...more] = await eventsOf(world, "books");
    expect(more).toEqual([]);
    expect(event!.data.flags).toContain("conflict");
    expect(await recordOf(bad.body)).toMatchObject({ outcome: "quarantined", receipt: "first" });
    expect(await recordOf(good.body)).toMatchObject({
      outcome: "published",
      flags: ["unknownOrder", "conflict"],
    });
  });
});

describe("an authentic callback that is no text", () => {
  test("is acknowledged and quarantined with its exact bytes", async () => {
    const receiver = await world.start("receive-callback");
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    const { statusCode } = await post(
      receiver,
      sealedCallback(world.merchant, { result: bytes, nowMilliseconds: Date.now() }),
    );
    expect(statusCode).toBe(200);
    expect(logOf(receiver).at(-1)).toMatchObject({ outcome: "accepted" });
    await pump(world, processor);
    const [letter] = await quarantined(world);
    expect(letter).toMatchObject({ reason: "plaintext-not-utf-8" });
    const { content } = readInboxMessage(letter!.body);
    expect(content).toEqual({ kind: "not-utf-8", bytes });
    const kept = (await records(world)).find((one) => one["contentHash"] === contentHash(content));
    expect(readInboxMessage(String(kept!["message"])).content).toEqual(content);
  });
});

test("an order of which only a quarantined callback tells counts as told of, and keeps its number", async () => {
  const referOrderNo = randomUUID();
  await process(processor, queuedPayment(world, { referOrderNo, status: "paid" }));
  await quarantined(world);
  expect(await orderItem(world, referOrderNo)).toMatchObject({ isHeardOf: true, sequence: 0 });
  await process(processor, queuedPayment(world, { referOrderNo }));
  const [event] = await eventsOf(world, "books");
  expect(event).toMatchObject({ sequence: "0000000001", data: { status: "success" } });
});

test("an id that no key can hold is no order's", async () => {
  const message = queuedPayment(world, { referOrderNo: "x".repeat(3_000) });
  expect(await process(processor, message)).toEqual([]);
  expect(await quarantined(world)).toHaveLength(1);
  expect(logOf(processor).at(-1)).not.toHaveProperty("orderNo");
});
