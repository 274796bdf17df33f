import { join } from "node:path";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startSqs } from "../../../../../tools/local/aws/sqs/start-sqs.ts";
import { temporaryFolder } from "../../../../setup/temporary-folder.ts";
import { sqsClient } from "../aws-clients.ts";

let sqs: Awaited<ReturnType<typeof startSqs>>;
let client: SQSClient;

beforeAll(async () => {
  sqs = await startSqs();
  client = sqsClient(sqs.endpoint);
});
afterAll(() => sqs.stop());

const createQueue = async (QueueName: string, own = client) => {
  const fifo = QueueName.endsWith(".fifo") ? { Attributes: { FifoQueue: "true" } } : {};
  return (await own.send(new CreateQueueCommand({ QueueName, ...fifo }))).QueueUrl!;
};

const send = (QueueUrl: string, id: string, MessageBody = id, group = id, own = client) =>
  own.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody,
      MessageGroupId: group,
      MessageDeduplicationId: id,
      MessageAttributes: { type: { DataType: "String", StringValue: `type ${id}` } },
    }),
  );

const sendOrdered = (QueueUrl: string, id: string, own = client) =>
  send(QueueUrl, id, id, "g", own);

/** Receives one message, and deletes it if it is to be consumed. */
async function receive(QueueUrl: string, own = client, consume = true): Promise<unknown> {
  const command = new ReceiveMessageCommand({ QueueUrl, MessageAttributeNames: ["All"] });
  const [message] = (await own.send(command)).Messages ?? [];
  if (message === undefined) return undefined;
  const { Body, ReceiptHandle, MessageAttributes } = message;
  if (consume) await own.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return `${Body}, ${MessageAttributes?.["type"]?.StringValue}`;
}

test("a queue's address is on loopback and can be called, by any host name", async () => {
  const QueueUrl = await createQueue("plain");
  expect(QueueUrl).toBe(`${sqs.endpoint}/000000000000/plain`);
  expect(new URL(QueueUrl).hostname).toBe("127.0.0.1");
  const byName = await client.send(new GetQueueUrlCommand({ QueueName: "plain" }));
  expect(byName.QueueUrl).toBe(QueueUrl);
  const localhost = QueueUrl.replace("127.0.0.1", "localhost");
  await client.send(new SendMessageCommand({ QueueUrl: localhost, MessageBody: "hello" }));
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
  );
  const QueueArn = "arn:aws:sqs:us-east-1:000000000000:plain";
  expect(Attributes).toMatchObject({ ApproximateNumberOfMessages: "1", QueueArn });
});

test("a deleted queue is gone, with the error that SDKs know", async () => {
  const QueueUrl = await createQueue("gone");
  await client.send(new DeleteQueueCommand({ QueueUrl }));
  const sending = client.send(new SendMessageCommand({ QueueUrl, MessageBody: "hello" }));
  await expect(sending).rejects.toMatchObject({ name: "QueueDoesNotExist" });
});

test("messages in a file are there after a restart, in their order, also those in flight", async () => {
  const folder = temporaryFolder("messages");
  const open = async () => {
    const started = await startSqs({ dataFile: join(folder, "deep", "messages.json") });
    const own = sqsClient(started.endpoint);
    return { started, own, url: await createQueue("kept.fifo", own) };
  };
  const first = await open();
  for (const id of ["1", "2"]) await sendOrdered(first.url, id, first.own);
  await receive(first.url, first.own, false);
  await first.started.stop();
  const second = await open();
  // Sent again within five minutes: the queue still remembers it.
  await sendOrdered(second.url, "1", second.own);
  const received = [await receive(second.url, second.own), await receive(second.url, second.own)];
  expect(received).toEqual(["1, type 1", "2, type 2"]);
  expect(await receive(second.url, second.own)).toBeUndefined();
  await second.started.stop();
});

test("messages in a file are still there after a start that failed before it made their queue", async () => {
  const folder = temporaryFolder("messages");
  const open = async () => {
    const started = await startSqs({ dataFile: join(folder, "messages.json") });
    return { started, own: sqsClient(started.endpoint) };
  };
  const first = await open();
  await sendOrdered(await createQueue("kept.fifo", first.own), "1", first.own);
  await first.started.stop();
  const failed = await open();
  await createQueue("other.fifo", failed.own);
  await failed.started.stop();
  const third = await open();
  const url = await createQueue("kept.fifo", third.own);
  expect(await receive(url, third.own)).toBe("1, type 1");
  await third.started.stop();
  // Received and deleted, so it does not come a second time.
  const fourth = await open();
  expect(await receive(await createQueue("kept.fifo", fourth.own), fourth.own)).toBeUndefined();
  await fourth.started.stop();
});

/** As botocore 1.29 writes a call. */
async function call(QueueUrl: string, Action: string, fields: Record<string, string> = {}) {
  const body = new URLSearchParams({ Action, Version: "2012-11-05", QueueUrl, ...fields });
  const answer = await fetch(QueueUrl, { method: "POST", body });
  return { status: answer.status, xml: await answer.text() };
}

const valuesOf = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, value]) => value!);

test("an SDK of the old protocol receives, returns and deletes messages", async () => {
  const QueueUrl = await createQueue("old.fifo");
  await send(QueueUrl, "a", '{"name":"Tea & <milk>"}\r\n');
  await send(QueueUrl, "b", "second");
  const receive = { MaxNumberOfMessages: "10", "AttributeName.1": "MessageGroupId" };
  const { status, xml } = await call(QueueUrl, "ReceiveMessage", {
    ...receive,
    "AttributeName.2": "ApproximateReceiveCount",
    "MessageAttributeName.1": "All",
  });
  expect(status).toBe(200);
  expect(valuesOf(xml, "Body")).toEqual(['{"name":"Tea &amp; &lt;milk&gt;"}&#13;\n', "second"]);
  expect(xml).toContain("<Attribute><Name>MessageGroupId</Name><Value>a</Value></Attribute>");
  expect(xml).toContain("<Name>ApproximateReceiveCount</Name><Value>1</Value>");
  expect(xml).toMatch(
    /<MessageAttribute><Name>type<\/Name><Value>.*<StringValue>type b<\/StringValue>/,
  );
  const [first = "", second = ""] = valuesOf(xml, "ReceiptHandle");
  const entry = "ChangeMessageVisibilityBatchRequestEntry.1.";
  const given = await call(QueueUrl, "ChangeMessageVisibilityBatch", {
    [`${entry}Id`]: "0",
    [`${entry}ReceiptHandle`]: first,
    [`${entry}VisibilityTimeout`]: "0",
  });
  expect(given.xml).toContain(
    "<ChangeMessageVisibilityBatchResultEntry><Id>0</Id></ChangeMessageVisibilityBatchResultEntry>",
  );
  expect(await call(QueueUrl, "DeleteMessage", { ReceiptHandle: second })).toMatchObject({
    status: 200,
  });
  const again = await call(QueueUrl, "ReceiveMessage", receive);
  expect(valuesOf(again.xml, "Body")).toHaveLength(1);
});

test("an error has the code that an SDK of the old protocol looks for", async () => {
  const { status, xml } = await call(`${sqs.endpoint}/000000000000/unknown`, "ReceiveMessage");
  expect(status).toBe(400);
  expect(valuesOf(xml, "Code")).toEqual(["AWS.SimpleQueueService.NonExistentQueue"]);
});
