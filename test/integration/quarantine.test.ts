import { randomUUID } from "node:crypto";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, test } from "vitest";
import { storeOrder } from "./aggregates.ts";
import {
  type EnvelopeOptions,
  type Fields,
  paymentCallback,
  queuedPayment,
  queuedRefund,
} from "./callbacks.ts";
import { canaryName } from "./canaries.ts";
import { sendTo, writes } from "./fault-proxy.ts";
import { deadLetters, eventsOf, logOf, post, process, pump, quarantined } from "./flow.ts";
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
function spoiled(from: string, into: string): EnvelopeOptions {
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

/** Code that compares its length to a number throws. */
const trap = { length: { valueOf: 1, toString: 1 } };

const unreadable: [name: string, reason: string, result: Fields, options: EnvelopeOptions][] = [
  ["an event that is unknown", "event-unknown", {}, { eventName: "payment.order.paid" }],
  ["an event against the status", "event-differs", {}, { eventName: "payment.order.failed" }],
  ["a status of create", "event-differs", { status: "pending" }, {}],
  ["a status that is unknown", "result-unreadable", { status: "paid" }, {}],
  ["two order numbers", "result-contradicted", { outOrderNo: "ANOTHER" }, {}],
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
  ["a number without an exact reading", "number-inexact", {}, spoiled("12.5", "1e999999999")],
  [
    "more digits than its currency",
    "amount-too-precise",
    {},
    spoiled("12.5", "12.50000000000000001"),
  ],
  ["no JSON", "result-unreadable", {}, { plaintext: "status=success" }],
  ["a list", "result-unreadable", {}, { plaintext: "[]" }],
  ["null", "result-unreadable", {}, { plaintext: "null" }],
];

async function expectQuarantined(message: { body: string; group: string }, reason: string) {
  expectAlone(await quarantined(world), message, reason);
  expect(await deadLetters(world)).toEqual([]);
}

function expectAlone(
  found: Awaited<ReturnType<typeof deadLetters>>,
  message: { body: string; group: string },
  reason: string,
) {
  const [letter, ...more] = found;
  expect(more).toEqual([]);
  expect(letter).toMatchObject({ body: message.body, group: message.group, reason });
  expect(letter!.detail).toMatch(/\.$/);
  expect(letter!.detail).not.toContain(canaryName);
}

describe("an authentic callback that cannot be read for sure is set aside with its reason, and its group goes on", () => {
  test.each(unreadable)("%s: %s", async (_name, reason, result, envelope) => {
    const message = queuedPayment(world, result, envelope);
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
  const stray = { messageId: randomUUID(), group: "stray", body, isWhole: true };
  const next = queuedPayment(world, { referOrderNo: randomUUID() });
  expect(await process(processor, stray, next)).toEqual([]);
  expectAlone(await deadLetters(world), stray, "stamp-missing");
  expect(await quarantined(world)).toEqual([]);
  expect(await eventsOf(world, "books")).toHaveLength(1);
});

test("a message that cannot be set aside stays in the inbox, and so does its group; other groups go on", async () => {
  const error = { status: 403, type: "AccessDenied" };
  processor.faults.fail(sendTo(world.deadLettersUrl), { kind: "refuse", error });
  const referOrderNo = randomUUID();
  const behind = queuedPayment(world, { referOrderNo });
  const bad = { messageId: randomUUID(), group: behind.group, body: "not ours", isWhole: true };
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
  processor.faults.fail(writes, { kind: "refuse", error });
  await pump(world, processor);
  const [letter] = await deadLetters(world);
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
