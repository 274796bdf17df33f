import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSqs } from "../../local/aws/sqs.ts";
import { sqsClient } from "./aws-clients.ts";

let sqs: Awaited<ReturnType<typeof startSqs>>;
let client: ReturnType<typeof sqsClient>;

beforeAll(async () => {
  sqs = await startSqs();
  client = sqsClient(sqs.endpoint);
});
afterAll(async () => {
  client.destroy();
  await sqs.stop();
});

test("listens on loopback only", () => {
  expect(new URL(sqs.endpoint).hostname).toBe("127.0.0.1");
});

test("a queue's address works with a client that uses it as its endpoint", async () => {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: "plain" }));
  expect(QueueUrl).toBe(`${sqs.endpoint}/000000000000/plain`);
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "hello" }));
  const received = await client.send(new ReceiveMessageCommand({ QueueUrl }));
  expect(received.Messages?.map(({ Body }) => Body)).toEqual(["hello"]);
});

test("the same address comes from GetQueueUrl and ListQueues", async () => {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: "listed" }));
  const byName = await client.send(new GetQueueUrlCommand({ QueueName: "listed" }));
  const listed = await client.send(new ListQueuesCommand({ QueueNamePrefix: "listed" }));
  expect(byName.QueueUrl).toBe(QueueUrl);
  expect(listed.QueueUrls).toEqual([QueueUrl]);
});

test("a queue is found whatever host its address names", async () => {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: "by-path" }));
  const localhost = QueueUrl!.replace("127.0.0.1", "localhost");
  await client.send(new SendMessageCommand({ QueueUrl: localhost, MessageBody: "hello" }));
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
  );
  expect(Attributes).toMatchObject({
    ApproximateNumberOfMessages: "1",
    QueueArn: "arn:aws:sqs:us-east-1:000000000000:by-path",
  });
});

test("a group with a message in flight hands out nothing more until it is deleted", async () => {
  const { QueueUrl } = await client.send(
    new CreateQueueCommand({ QueueName: "ordered.fifo", Attributes: { FifoQueue: "true" } }),
  );
  for (const id of ["1", "2"]) {
    const order = { MessageGroupId: "g", MessageDeduplicationId: id };
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: id, ...order }));
  }
  const receive = () =>
    client.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  const first = (await receive()).Messages ?? [];
  expect(first.map(({ Body }) => Body)).toEqual(["1"]);
  expect((await receive()).Messages ?? []).toEqual([]);
  const { ReceiptHandle } = first[0]!;
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  expect((await receive()).Messages?.map(({ Body }) => Body)).toEqual(["2"]);
});

test("a deleted queue is gone, and the error is the one SDKs know", async () => {
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: "gone" }));
  await client.send(new DeleteQueueCommand({ QueueUrl }));
  const sending = client.send(new SendMessageCommand({ QueueUrl, MessageBody: "hello" }));
  await expect(sending).rejects.toMatchObject({ name: "QueueDoesNotExist" });
});

test("messages kept in a file are there after a restart, in their order, in flight or not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "paycast-messages-"));
  const dataFile = join(folder, "deep", "messages.json");
  const open = async () => {
    const started = await startSqs({ dataFile });
    const own = sqsClient(started.endpoint);
    const Attributes = { FifoQueue: "true" };
    const create = new CreateQueueCommand({ QueueName: "kept.fifo", Attributes });
    const { QueueUrl } = await own.send(create);
    return { started, own, QueueUrl };
  };
  const first = await open();
  for (const id of ["1", "2"]) {
    await first.own.send(
      new SendMessageCommand({
        QueueUrl: first.QueueUrl,
        MessageBody: id,
        MessageGroupId: "g",
        MessageDeduplicationId: id,
        MessageAttributes: { type: { DataType: "String", StringValue: `type ${id}` } },
      }),
    );
  }
  await first.own.send(new ReceiveMessageCommand({ QueueUrl: first.QueueUrl }));
  await first.started.stop();
  const second = await open();
  const bodies: unknown[] = [];
  for (const _ of ["1", "2"]) {
    const { QueueUrl, own } = second;
    const command = new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ["All"] });
    const [message] = (await own.send(command)).Messages!;
    bodies.push([message!.Body, message!.MessageAttributes?.["type"]?.StringValue]);
    await own.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message!.ReceiptHandle }));
  }
  expect(bodies).toEqual([
    ["1", "type 1"],
    ["2", "type 2"],
  ]);
  await second.started.stop();
  rmSync(folder, { recursive: true });
});

test("whoever asks is told of each message that a queue takes, and of none that it refuses", async () => {
  const told: unknown[] = [];
  const started = await startSqs({ onMessage: (message) => told.push(message) });
  const own = sqsClient(started.endpoint);
  const { QueueUrl } = await own.send(new CreateQueueCommand({ QueueName: "watched" }));
  await own.send(new SendMessageCommand({ QueueUrl, MessageBody: "one" }));
  const Entries = ["two", "three"].map((MessageBody, id) => ({ Id: `${id}`, MessageBody }));
  await own.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  const refused = own.send(
    new SendMessageCommand({ QueueUrl: `${QueueUrl}-not`, MessageBody: "four" }),
  );
  await expect(refused).rejects.toThrow();
  await started.stop();
  expect(told).toEqual(["one", "two", "three"].map((body) => ({ queueName: "watched", body })));
});
