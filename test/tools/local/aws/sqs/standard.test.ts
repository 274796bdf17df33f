import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { append } from "../../../../../tools/local/aws/sqs/queue.ts";
import { createQueue, openStore } from "../../../../../tools/local/aws/sqs/queue-store.ts";
import {
  receiveMessages,
  receiveSchema,
} from "../../../../../tools/local/aws/sqs/receive-messages.ts";
import { bodies, receives, useSqs } from "./queues.ts";

/** What holds for every queue, and what a standard queue does otherwise than a FIFO queue. */
const { client, standard, advance } = useSqs();
const text = (StringValue: string) => ({ DataType: "String", StringValue });

describe("a standard queue", () => {
  test("gives the same message again after the visibility timeout, and counts", async () => {
    const queue = await standard();
    await queue.send("1");
    expect(receives(await queue.receive())).toEqual([1]);
    expect(await queue.receive()).toEqual([]);
    advance(30);
    expect(receives(await queue.receive())).toEqual([2]);
  });

  test("takes a group id, shows it, and locks nothing by it", async () => {
    const queue = await standard();
    for (const body of ["1", "2"]) await queue.send(body, { MessageGroupId: "tenant" });
    const [first] = await queue.receive({ MaxNumberOfMessages: 1 });
    expect(first!.Attributes).toMatchObject({ MessageGroupId: "tenant" });
    expect(first!.Attributes).not.toHaveProperty("SequenceNumber");
    expect(bodies(await queue.receive())).toEqual(["2"]);
  });

  test("does not deduplicate", async () => {
    const queue = await standard();
    for (const body of ["same", "same"]) await queue.send(body);
    expect(bodies(await queue.receive())).toEqual(["same", "same"]);
  });

  test("holds a message back for its own delay", async () => {
    const queue = await standard();
    await queue.send("late", { DelaySeconds: 5 });
    expect(await queue.receive()).toEqual([]);
    advance(5);
    expect(bodies(await queue.receive())).toEqual(["late"]);
  });

  test("deletes by the newest receipt handle, also after the visibility timeout; an older one deletes nothing", async () => {
    const queue = await standard();
    await queue.send("1");
    const [older] = await queue.receive();
    advance(30);
    const [newer] = await queue.receive();
    await queue.delete(older!);
    advance(30);
    expect(await queue.counts()).toEqual([1, 0]);
    await queue.delete(newer!);
    expect(await queue.counts()).toEqual([0, 0]);
    await queue.delete(newer!);
  });
});

describe("every queue", () => {
  test("drops a message when it is older than the queue keeps messages", async () => {
    const queue = await standard({ MessageRetentionPeriod: "60" });
    await queue.send("1");
    advance(60);
    expect(await queue.counts()).toEqual([0, 0]);
    expect(await queue.receive()).toEqual([]);
  });

  test("refuses a message over its maximum size, attributes included, and text that XML cannot hold", async () => {
    const queue = await standard({ MaximumMessageSize: "1024" });
    await queue.send("x".repeat(1_024));
    const sending = queue.send("x".repeat(1_000), {
      MessageAttributes: { name: text("y".repeat(20)) },
    });
    await expect(sending).rejects.toThrow(/must be shorter than 1024 bytes/);
    await expect(queue.send("\u0000")).rejects.toMatchObject({ name: "InvalidMessageContents" });
  });

  test("gives the attributes that are asked for, with their digest", async () => {
    const queue = await standard();
    const MessageAttributes = {
      "shop.name": text("Tea & milk"),
      "shop.size": { DataType: "Number", StringValue: "3" },
      bytes: { DataType: "Binary", BinaryValue: new Uint8Array([0, 255]) },
    };
    const sent = await queue.send("1", { MessageAttributes });
    const [all] = await queue.receive({ VisibilityTimeout: 0 });
    expect(all!.MessageAttributes).toEqual(MessageAttributes);
    // Calculated in Python from AWS's description.
    expect(sent.MD5OfMessageAttributes).toBe("614a4b7b25e495931be5e02e6e5a9a61");
    expect(all!.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
    const asked = { MessageAttributeNames: ["shop.*"], MessageSystemAttributeNames: [] };
    const [some] = await queue.receive(asked);
    expect(Object.keys(some!.MessageAttributes!)).toEqual(["shop.name", "shop.size"]);
    expect(some!.Attributes).toBeUndefined();
  });

  test("ends a long poll when a message comes, or becomes visible, or the time is over", async () => {
    const queue = await standard();
    const waiting = queue.receive({ WaitTimeSeconds: 20 });
    await queue.send("1");
    const [message] = await waiting;
    const next = queue.receive({ WaitTimeSeconds: 20 });
    await queue.setVisibility(message!, 0);
    expect(bodies(await next)).toEqual(["1"]);
    expect(await queue.receive({ WaitTimeSeconds: 1 })).toEqual([]);
  });

  test("can be emptied, and changed while it holds messages", async () => {
    const queue = await standard();
    await queue.send("1");
    const Attributes = { VisibilityTimeout: "3" };
    await client().send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes }));
    await queue.receive();
    advance(3);
    expect(await queue.counts()).toEqual([1, 0]);
    await client().send(new PurgeQueueCommand({ QueueUrl: queue.url }));
    expect(await queue.counts()).toEqual([0, 0]);
  });
});

describe("a batch", () => {
  test("takes what is right and names what is not", async () => {
    const { url: QueueUrl } = await standard({ MaximumMessageSize: "1024" });
    const Entries = [
      { Id: "fine", MessageBody: "1" },
      { Id: "long", MessageBody: "x".repeat(1_025) },
    ];
    const { Successful, Failed } = await client().send(
      new SendMessageBatchCommand({ QueueUrl, Entries }),
    );
    expect(Successful).toMatchObject([{ Id: "fine" }]);
    expect(Failed).toMatchObject([
      { Id: "long", SenderFault: true, Code: "InvalidParameterValue" },
    ]);
  });

  test("deletes and returns each message for itself", async () => {
    const queue = await standard();
    for (const body of ["1", "2"]) await queue.send(body);
    const [first, second] = await queue.receive();
    const QueueUrl = queue.url;
    const ReceiptHandle = first!.ReceiptHandle!;
    await client().send(
      new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: "a", ReceiptHandle }] }),
    );
    const change = (handle: string, Id: string) => ({
      Id,
      ReceiptHandle: handle,
      VisibilityTimeout: 0,
    });
    const Entries = [change(second!.ReceiptHandle!, "b"), change(ReceiptHandle, "gone")];
    const { Successful, Failed } = await client().send(
      new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
    );
    expect([Successful, Failed]).toMatchObject([[{ Id: "b" }], [{ Id: "gone" }]]);
    expect(bodies(await queue.receive())).toEqual(["2"]);
  });

  test.each([
    ["EmptyBatchRequest", []],
    ["TooManyEntriesInBatchRequest", Array.from({ length: 11 }, (_item, index) => `m${index}`)],
    ["BatchEntryIdsNotDistinct", ["same", "same"]],
    ["InvalidBatchEntryId", ["a b"]],
  ])("is refused as a whole: %s", async (name, ids) => {
    const { url: QueueUrl } = await standard();
    const Entries = ids.map((Id) => ({ Id, MessageBody: "1" }));
    const sending = client().send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    await expect(sending).rejects.toMatchObject({ name });
  });
});

/** A call over HTTP could not be timed so. */
test("a caller that went away while it waited takes no message", async () => {
  const store = openStore(undefined, () => 0);
  const queue = createQueue(store, "queue.fifo", { FifoQueue: "true" });
  const caller = new AbortController();
  const input = receiveSchema.parse({ WaitTimeSeconds: 20 });
  const waiting = receiveMessages(store, queue, input, caller.signal);
  caller.abort();
  append(queue, {
    body: "1",
    attributes: {},
    systemAttributes: {},
    groupId: "g",
    sentAtMilliseconds: 0,
    visibleAtMilliseconds: 0,
    receiveCount: 0,
  });
  expect(await waiting).toEqual({});
  expect([...queue.messages.values()]).toMatchObject([{ receiveCount: 0 }]);
});
