import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { bodies, useSqs } from "./queues.ts";

/** "Exactly-once processing in Amazon SQS" and "Using the message deduplication ID", one test a sentence. */
const { fifo, standard, advance } = useSqs();
const under = (MessageDeduplicationId: string, MessageGroupId = "a") => ({
  MessageDeduplicationId,
  MessageGroupId,
});

describe("a deduplication id", () => {
  test("that comes again within five minutes is accepted, and the message is not given again", async () => {
    const queue = await fifo();
    await queue.send("first", under("x"));
    advance(299);
    await queue.send("again", under("x"));
    expect(bodies(await queue.receive())).toEqual(["first"]);
  });

  test("can be used again after five minutes, counted from the first message", async () => {
    const queue = await fifo();
    await queue.send("first", under("x"));
    advance(200);
    await queue.send("again", under("x"));
    advance(100);
    await queue.send("later", under("x"));
    expect(bodies(await queue.receive())).toEqual(["first", "later"]);
  });

  test("is remembered also after the message was received and deleted", async () => {
    const queue = await fifo();
    await queue.send("first", under("x"));
    const [message] = await queue.receive();
    await queue.delete(message!);
    await queue.send("again", under("x"));
    expect(await queue.receive()).toEqual([]);
  });

  test("is answered with the first message's id and number, and the digest of the new body", async () => {
    const queue = await fifo();
    const { MessageId, SequenceNumber } = await queue.send("first", under("x"));
    const again = await queue.send("again", under("x"));
    const MD5OfMessageBody = hash("md5", "again");
    expect(again).toMatchObject({ MessageId, SequenceNumber, MD5OfMessageBody });
  });

  test("counts in the whole queue by default", async () => {
    const queue = await fifo();
    await queue.send("first", under("x", "a"));
    await queue.send("other group", under("x", "b"));
    expect(bodies(await queue.receive())).toEqual(["first"]);
  });

  test("counts within its group if the queue's scope is the message group", async () => {
    const queue = await fifo({
      DeduplicationScope: "messageGroup",
      FifoThroughputLimit: "perMessageGroupId",
    });
    await queue.send("first", under("x", "a"));
    await queue.send("other group", under("x", "b"));
    await queue.send("same group", under("x", "b"));
    expect(bodies(await queue.receive())).toEqual(["first", "other group"]);
  });

  test("is the body's SHA-256 if none is given and the queue deduplicates by content", async () => {
    const queue = await fifo({ ContentBasedDeduplication: "true" });
    for (const body of ["same", "same", "other"]) {
      await queue.send(body, { MessageGroupId: "a", MessageDeduplicationId: undefined });
    }
    const messages = await queue.receive();
    expect(bodies(messages)).toEqual(["same", "other"]);
    expect(messages[0]!.Attributes!.MessageDeduplicationId).toBe(hash("sha256", "same"));
  });

  test("has to be there if the queue does not deduplicate by content", async () => {
    const queue = await fifo();
    const sending = queue.send("body", { MessageDeduplicationId: undefined });
    await expect(sending).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });

  test("is refused by a standard queue, as a FIFO queue refuses a message without a group or with a delay", async () => {
    const [plain, ordered] = [await standard(), await fifo()];
    await expect(plain.send("body", { MessageDeduplicationId: "x" })).rejects.toThrow(/queue type/);
    await expect(ordered.send("body", { DelaySeconds: 5 })).rejects.toThrow(/queue type/);
    const alone = ordered.send("body", { MessageGroupId: undefined });
    await expect(alone).rejects.toMatchObject({ name: "MissingParameter" });
  });
});
