import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { paymentFactId } from "../../shared/facts/fact.ts";
import { readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { euros } from "./aggregates.ts";
import { drain } from "./aws-stores.ts";
import { paymentCallback, queued, queuedPayment, queuedQuery } from "./callbacks.ts";
import { eventsOf, logOf, orderItem, post, process, processAtOnce, pump, records } from "./flow.ts";
import type { Instance } from "./instance.ts";
import { toQueued } from "./lambda-events.ts";
import { useWorlds } from "./world.ts";

const makeWorld = useWorlds();
const copies = 50;
const mostTries = 10;

/** Sends a callback again while the answer is 503, as the service does, and returns the last answer. */
async function sendAgain(receiver: Instance, envelope: unknown): Promise<number> {
  let statusCode = 503;
  for (let tries = 0; statusCode === 503 && tries < mostTries; tries += 1) {
    ({ statusCode } = await post(receiver, envelope));
  }
  return statusCode;
}

describe("fifty copies of one callback at once", () => {
  test("are all acknowledged, recorded once and published once", async () => {
    const world = await makeWorld();
    const receiver = await world.start("receive-callback");
    const processor = await world.start("process-callback");
    const envelope = paymentCallback(world);
    const sending = Array.from({ length: copies }, () => post(receiver, envelope));
    const first = (await Promise.all(sending)).map(({ statusCode }) => statusCode);
    // On a busy machine the inbox may not answer all of them in time. Then they come again, one after the other.
    const last: number[] = [];
    for (const status of first) {
      last.push(status === 503 ? await sendAgain(receiver, envelope) : status);
    }
    expect(last).toEqual(Array(copies).fill(200));
    await pump(world, processor);
    expect(await eventsOf(world, "books")).toHaveLength(1);
    expect(await records(world)).toHaveLength(1);
    const outcomes = logOf(processor).map(({ outcome }) => outcome);
    // SQS itself dropped the repeats: nothing else came out of the inbox.
    expect(outcomes).toEqual(["published"]);
  });

  test("are published once even if no queue kept them apart", async () => {
    const world = await makeWorld({
      subscribers: [{ name: "ordered" }, { name: "loose", ordered: false }],
    });
    const processor = await world.start("process-callback");
    const message = queuedPayment(world);
    const all = Array.from({ length: copies }, () => ({ ...message, messageId: randomUUID() }));
    await processAtOnce(processor, all, 8);
    expect(await records(world)).toHaveLength(1);
    expect(await eventsOf(world, "ordered")).toHaveLength(1);
    const loose = await drain(world.sqs, world.subscribers[1]!.queueUrl);
    expect(new Set(loose.map(({ Body }) => Body)).size).toBe(1);
    expect(await orderItem(world, "ORDER-2026-000042")).toMatchObject({ sequence: 1, revision: 1 });
  });
});

test("ten facts of one order at once, in groups of their own, get ten sequences", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const messages = Array.from({ length: 10 }, (_item, index) => {
    const message = queuedPayment(world, { transactionId: `T${index}` });
    return { ...message, group: `group-${index}` };
  });
  await processAtOnce(processor, messages, 5);
  const events = await eventsOf(world, "books");
  const sequences = events.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b);
  expect(sequences).toEqual(Array.from({ length: 10 }, (_item, index) => index + 1));
});

describe("one fact", () => {
  test("reported under two callback ids is published once, and both receipts are kept", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    await process(processor, queuedPayment(world));
    await process(processor, queuedPayment(world));
    expect(await eventsOf(world, "books")).toHaveLength(1);
    const kept = await records(world);
    expect(kept.map(({ outcome }) => outcome).sort()).toEqual(["known-fact", "published"]);
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "known-fact", KnownFact: 1 });
  });

  test("reported again with another amount is not published again, but counted as contradicted", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    await process(processor, queuedPayment(world));
    await process(processor, queuedPayment(world, { paymentAmount: "129.96" }));
    expect(await eventsOf(world, "books")).toHaveLength(1);
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "known-fact", Contradicted: 1 });
  });

  test("about an order whose number is written as a JSON number is the same fact", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const [text, number] = ["42", 42].map((referOrderNo) => queuedPayment(world, { referOrderNo }));
    expect(text!.group).toBe(number!.group);
    expect(await process(processor, text!, number!)).toEqual([]);
    expect(await eventsOf(world, "books")).toHaveLength(1);
  });

  const asked = { orderNo: "ORDER-2026-000042", paymentId: "PAY-1" };
  const answer = {
    status: "success",
    transactionId: "TX2026111500000000000000000042",
    // §2.9: it may be a refund's number.
    referOrderNo: "REFUND-7",
    payAmount: "129.95",
    currency: "EUR",
    paidTime: "1794705764123",
  };

  test.each([
    ["by a callback and then by a query", "callback"],
    ["by a query and then by a callback", "query"],
  ])("reported %s is published once, by whichever came first", async (_case, origin) => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const both = [queuedPayment(world), queuedQuery(world, asked, answer)];
    for (const message of origin === "callback" ? both : both.reverse()) {
      expect(await process(processor, message)).toEqual([]);
    }
    const events = await eventsOf(world, "books");
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ origin, subject: asked.orderNo });
    const { transactionId } = answer;
    const fact = {
      kind: "payment",
      type: "payment.order.success",
      merchantId: world.merchant.merchantId,
      ...asked,
      origin: "query",
      learnedAtMilliseconds: 0,
      status: "success",
      transactionId,
      amount: euros("129.95"),
      noted: [],
    } as const;
    expect(events[0]!.id).toBe(paymentFactId(fact));
  });

  test("in an answer that states none is passed over", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const message = queuedQuery(world, asked, { ...answer, status: "pending" });
    expect(await process(processor, message)).toEqual([]);
    expect(await records(world)).toEqual([]);
    expect(await eventsOf(world, "books")).toEqual([]);
  });

  test("in answers with a refund's status is one success without transaction, flagged refunded", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    for (const status of ["refunding", "refund_success"]) {
      const message = queuedQuery(world, asked, { ...answer, status });
      expect(await process(processor, message)).toEqual([]);
    }
    const events = await eventsOf(world, "books");
    expect(events.map(({ type }) => type)).toEqual(["payment.order.success"]);
    expect(events[0]!.data.flags).toContain("refunded");
    expect(events[0]!.data).not.toHaveProperty("transactionId");
    expect(await records(world)).toHaveLength(2);
  });
});

describe("one callback id", () => {
  test("with another plaintext is kept beside the first, applied, published and flagged as a conflict", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const id = randomUUID();
    const first = queuedPayment(world, { status: "failed" }, { id });
    const other = queuedPayment(world, { transactionId: "OTHER" }, { id });
    for (const message of [first, other, first, other]) {
      expect(await process(processor, message)).toEqual([]);
    }
    const events = await eventsOf(world, "books");
    expect(events.map(({ data }) => [data.status, data.flags.includes("conflict")])).toEqual([
      ["failed", false],
      ["success", true],
    ]);
    expect(events.map(({ sequence }) => Number(sequence))).toEqual([1, 2]);
    expect(await records(world)).toHaveLength(2);
    const conflicts = logOf(processor).filter((line) => line["Conflict"] === 1);
    expect(conflicts).toHaveLength(1);
  });

  test("with other words for the same fact is counted as a conflict and not published again", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const id = randomUUID();
    await process(processor, queuedPayment(world, { msg: "one" }, { id }));
    await process(processor, queuedPayment(world, { msg: "another" }, { id }));
    expect(await eventsOf(world, "books")).toHaveLength(1);
    expect(logOf(processor).at(-1)).toMatchObject({ outcome: "known-fact", Conflict: 1 });
  });

  test("is the same with and without dashes, in upper and lower case", async () => {
    const world = await makeWorld();
    const processor = await world.start("process-callback");
    const id = randomUUID();
    for (const spelling of [id, id.toUpperCase(), id.replaceAll("-", "")]) {
      await process(processor, queuedPayment(world, {}, { id: spelling }));
    }
    expect(await records(world)).toHaveLength(1);
  });

  test("that is not signed does not let a body be replayed under a new one, and such records do not expire", async () => {
    const merchant = { profile: { unsignedFields: ["id" as const] } };
    const world = await makeWorld({ merchant });
    const receiver = await world.start("receive-callback");
    const processor = await world.start("process-callback");
    const envelope = paymentCallback(world);
    await post(receiver, envelope);
    expect((await post(receiver, { ...envelope, id: randomUUID() })).statusCode).toBe(200);
    const messages = await drain(world.sqs, world.inboxUrl);
    for (const message of messages) await process(processor, toQueued(message));
    const kept = await records(world);
    expect(kept).toHaveLength(1);
    expect(kept[0]).not.toHaveProperty("expiresAt");
  });
});

test("a record holds what was received, when, by which keys, and when it expires", async () => {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const receivedAt = Date.UTC(2026, 10, 15, 3, 0, 0, 7);
  const envelope = paymentCallback(world, {}, { nowMilliseconds: receivedAt });
  await process(processor, queued(world, envelope, receivedAt));
  const [record] = await records(world);
  expect(record).toMatchObject({
    merchantId: world.merchant.merchantId,
    callbackId: envelope["id"],
    type: "payment.order.success",
    keyVersion: "version-1",
    receivedAt: "2026-11-15T03:00:00.007Z",
  });
  const recordedSeconds = Math.floor(Date.parse(String(record!["recordedAt"])) / 1000);
  expect(record!["expiresAt"]).toBe(recordedSeconds + 90 * 86_400);
  const { content } = readInboxMessage(String(record!["message"]));
  expect(content).toMatchObject({ kind: "text", result: { status: "success" } });
  const [event] = await eventsOf(world, "books");
  expect(JSON.parse(String(record!["event"]))).toEqual(event);
  expect(record).not.toHaveProperty("pending");
});
