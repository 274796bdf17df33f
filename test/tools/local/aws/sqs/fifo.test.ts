import { describe, expect, test } from "vitest";
import { bodies, receives, type TestQueue, useSqs } from "./queues.ts";

/**
 * What AWS documents about FIFO queues, one test a sentence. Most stand in "FIFO queue delivery logic" and in
 * "Visibility timeout" of the SQS developer guide, and in ReceiveMessage and DeleteMessage of the API reference.
 */
const { fifo, advance } = useSqs();
const inGroup = (MessageGroupId: string) => ({ MessageGroupId });

async function sendAll(queue: TestQueue, group: string, ...texts: readonly string[]) {
  for (const text of texts) await queue.send(text, inGroup(group));
}

const numbered = (count: number) => Array.from({ length: count }, (_item, index) => `m${index}`);

describe("order and groups", () => {
  test("one receive gives several messages of a group, in the order in which they were sent", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "1", "2", "3");
    const messages = await queue.receive();
    expect(bodies(messages)).toEqual(["1", "2", "3"]);
    const sequence = messages.map(({ Attributes }) => Attributes!.SequenceNumber!);
    expect(sequence.toSorted()).toEqual(sequence);
    expect(new Set(sequence.filter((number) => /^\d{20}$/.test(number))).size).toBe(3);
  });

  test("one receive gives at most ten, and never more than was asked for", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", ...numbered(12));
    const first = await queue.receive({ MaxNumberOfMessages: 1 });
    await queue.delete(first[0]!);
    expect(bodies(await queue.receive())).toEqual(numbered(11).slice(1));
  });

  test("as many messages of one group as possible come first, then those of another", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "a1");
    await sendAll(queue, "b", "b1", "b2");
    await sendAll(queue, "a", "a2");
    expect(bodies(await queue.receive())).toEqual(["a1", "a2", "b1", "b2"]);
  });

  test("while a message of a group is in flight, no other one of the group is given", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "1", "2");
    await queue.receive({ MaxNumberOfMessages: 1 });
    await sendAll(queue, "a", "3");
    expect(await queue.receive()).toEqual([]);
    expect(await queue.counts()).toEqual([2, 1]);
  });

  test("other groups go on meanwhile", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "a1", "a2");
    await queue.receive({ MaxNumberOfMessages: 1 });
    await sendAll(queue, "b", "b1");
    expect(bodies(await queue.receive())).toEqual(["b1"]);
  });

  test("the group goes on when the one in flight is deleted", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "1", "2");
    const [first] = await queue.receive({ MaxNumberOfMessages: 1 });
    await queue.delete(first!);
    expect(bodies(await queue.receive())).toEqual(["2"]);
  });

  test("if some of a batch are deleted, the group waits for the rest of the batch", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "1", "2", "3", "4");
    const [first, second, third] = await queue.receive({ MaxNumberOfMessages: 3 });
    await queue.delete(first!);
    await queue.delete(third!);
    expect(await queue.receive()).toEqual([]);
    await queue.delete(second!);
    expect(bodies(await queue.receive())).toEqual(["4"]);
  });

  test("a receive that waits gets the next of a group as soon as the group is free", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "1", "2");
    const [first] = await queue.receive({ MaxNumberOfMessages: 1 });
    const waiting = queue.receive({ WaitTimeSeconds: 20 });
    await queue.delete(first!);
    expect(bodies(await waiting)).toEqual(["2"]);
  });
});

describe("visibility", () => {
  test("after the visibility timeout the messages of the batch come again, in their order", async () => {
    const queue = await fifo({ VisibilityTimeout: "60" });
    await sendAll(queue, "a", "1", "2");
    await queue.receive();
    advance(59);
    expect(await queue.receive()).toEqual([]);
    advance(1);
    expect(bodies(await queue.receive())).toEqual(["1", "2"]);
  });

  test("a receive can ask for a visibility timeout of its own", async () => {
    const queue = await fifo({ VisibilityTimeout: "60" });
    await sendAll(queue, "a", "1");
    await queue.receive({ VisibilityTimeout: 5 });
    advance(5);
    expect(bodies(await queue.receive())).toEqual(["1"]);
  });

  test("a message with visibility 0 comes again at once, before those sent after it", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "1", "2");
    const [first] = await queue.receive({ MaxNumberOfMessages: 1 });
    await queue.setVisibility(first!, 0);
    expect(bodies(await queue.receive())).toEqual(["1", "2"]);
  });

  test("while another message of its group is in flight, a message with visibility 0 waits", async () => {
    const queue = await fifo();
    await sendAll(queue, "a", "1", "2");
    const [first, second] = await queue.receive();
    await queue.setVisibility(first!, 0);
    expect(await queue.receive()).toEqual([]);
    await queue.setVisibility(second!, 0);
    expect(bodies(await queue.receive())).toEqual(["1", "2"]);
  });

  test("the visibility timeout can be prolonged, and counts from the change", async () => {
    const queue = await fifo({ VisibilityTimeout: "10" });
    await sendAll(queue, "a", "1");
    const [message] = await queue.receive();
    advance(8);
    await queue.setVisibility(message!, 10);
    advance(9);
    expect(await queue.receive()).toEqual([]);
    advance(1);
    expect(bodies(await queue.receive())).toEqual(["1"]);
  });

  test("when its visibility timeout is over, a message is not deleted by the old receipt handle", async () => {
    const queue = await fifo({ VisibilityTimeout: "10" });
    await sendAll(queue, "a", "1");
    const [message] = await queue.receive();
    advance(10);
    await expect(queue.delete(message!)).rejects.toThrow(/receipt handle has expired/);
    await expect(queue.setVisibility(message!, 5)).rejects.toMatchObject({
      name: "MessageNotInflight",
      message: expect.stringContaining("isn't in flight"),
    });
    expect(bodies(await queue.receive())).toEqual(["1"]);
    await expect(queue.delete(message!)).rejects.toThrow(/receipt handle has expired/);
  });

  test("a delay of the queue holds a message back, and nothing is in flight meanwhile", async () => {
    const queue = await fifo({ DelaySeconds: "30" });
    await sendAll(queue, "a", "1");
    expect(await queue.receive()).toEqual([]);
    expect(await queue.counts()).toEqual([0, 0]);
    advance(30);
    expect(bodies(await queue.receive())).toEqual(["1"]);
  });
});

describe("receive count", () => {
  test("every receive counts, for each message of the batch", async () => {
    const queue = await fifo({ VisibilityTimeout: "10" });
    await sendAll(queue, "a", "1", "2");
    expect(receives(await queue.receive())).toEqual([1, 1]);
    advance(10);
    const again = await queue.receive({ MaxNumberOfMessages: 1 });
    expect(receives(again)).toEqual([2]);
    await queue.setVisibility(again[0]!, 0);
    expect(receives(await queue.receive())).toEqual([3, 2]);
  });

  test("the time of the first receive stays", async () => {
    const queue = await fifo({ VisibilityTimeout: "10" });
    await sendAll(queue, "a", "1");
    const firstReceive = async () =>
      (await queue.receive())[0]!.Attributes!.ApproximateFirstReceiveTimestamp;
    const first = await firstReceive();
    advance(10);
    expect(await firstReceive()).toBe(first);
  });
});
