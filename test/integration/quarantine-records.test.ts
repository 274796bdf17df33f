import { randomUUID } from "node:crypto";
import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { beforeAll, describe, expect, test } from "vitest";
import { writeRedrive } from "../../shared/inbox/inbox-body.ts";
import { readInboxMessage } from "../../shared/inbox/inbox-message.ts";
import { toAttributes } from "../../shared/table/attributes.ts";
import { sealedCallback } from "../builders/callback.ts";
import { type Fields, queuedPayment } from "./callbacks.ts";
import { to } from "./fault-proxy.ts";
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

/** A comparison of its length with a number throws. */
const trap = { length: { valueOf: 1, toString: 1 } };

describe("what only informs", () => {
  const informs: [name: string, result: Fields, flag: string][] = [
    ["a time of nine digits", { completeTime: 179470576 }, "unreadableTime"],
    ["a time without an offset", { paymentTime: "2026-11-15T01:22:45" }, "unreadableTime"],
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

  test("is read in seconds and as RFC 3339", async () => {
    const times = { paymentTime: "2026-11-15T02:22:39+01:00", completeTime: 1794705764 };
    const message = queuedPayment(world, { referOrderNo: randomUUID(), ...times });
    expect(await process(processor, message)).toEqual([]);
    const [event] = await eventsOf(world, "books");
    expect(event!.data).toMatchObject({
      createdAt: "2026-11-15T01:22:39.000Z",
      completedAt: "2026-11-15T01:22:44.000Z",
    });
    expect(event!.data.flags).not.toContain("unreadableTime");
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

  const dismiss = async ({ callbackKey, receipt }: Awaited<ReturnType<typeof records>>[number]) =>
    await world.dynamodb.send(
      new UpdateItemCommand({
        TableName: world.tables.callbacks,
        Key: toAttributes({ callbackKey, receipt }),
        UpdateExpression: "REMOVE attention, attentionShard, attentionSince",
      }),
    );

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
    expect(record!["attentionShard"]).toMatch(/^quarantined#[0-7]$/);
  });

  test("keeps since when it needs a person, and the dismissal, when the same content comes again", async () => {
    const message = queuedPayment(world, { status: "paid" });
    await process(processor, message);
    const first = await recordOf(message.body);
    processor.advance(60_000);
    await process(processor, message);
    const again = await recordOf(message.body);
    expect(again).toMatchObject({
      attentionSince: first!["attentionSince"],
      recordedAt: first!["recordedAt"],
    });
    expect(String(again!["triedAt"]) > String(first!["triedAt"])).toBe(true);
    await dismiss(again!);
    await process(processor, message);
    expect(await recordOf(message.body)).not.toHaveProperty("attention");
  });

  /** Quarantined once, although it can be understood. */
  const quarantinedOnce = async () => {
    const message = queuedPayment(world, { referOrderNo: randomUUID() });
    const fields = { message: "Item size has exceeded the maximum allowed size" };
    const type = "com.amazonaws.dynamodb.v20120810#ValidationException";
    const refused = { kind: "refuse", error: { status: 400, type, fields } } as const;
    processor.faults.fail(to("dynamodb", "TransactWriteItems"), refused, { times: 1 });
    await process(processor, message);
    await quarantined(world);
    return message;
  };

  test("stays dismissed when the same content comes again and is understood now", async () => {
    const message = await quarantinedOnce();
    await dismiss((await recordOf(message.body))!);
    expect(await process(processor, message)).toEqual([]);
    expect(await recordOf(message.body)).toMatchObject({ outcome: "quarantined" });
    expect(await eventsOf(world, "books")).toEqual([]);
    expect(await quarantined(world)).toEqual([]);
  });

  test("brings it back under a fresh deduplication id", async () => {
    const message = await quarantinedOnce();
    const { callbackKey, receipt, group } = (await recordOf(message.body))!;
    const MessageDeduplicationId = randomUUID();
    const named = { callbackKey: String(callbackKey), receipt: String(receipt) };
    const letter = { MessageBody: writeRedrive(named), MessageGroupId: String(group) };
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
    const kept = (await records(world)).find(({ message }) => message === letter!.body);
    expect(kept).toMatchObject({ outcome: "quarantined", reason: "plaintext-not-utf-8" });
  });
});

test("an order of which only a quarantined callback tells counts as known to the service, and keeps its number", async () => {
  const referOrderNo = randomUUID();
  await process(processor, queuedPayment(world, { referOrderNo, status: "paid" }));
  await quarantined(world);
  expect(await orderItem(world, referOrderNo)).toMatchObject({
    state: { kind: "heard" },
    sequence: 0,
  });
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
