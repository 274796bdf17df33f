import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { CreateTableCommand, DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, vi } from "vitest";
import { until } from "../end-to-end/running-stack.ts";
import { scan } from "../integration/aws-stores.ts";
import { useOperatedStack } from "../tools/operations/operated-stack.ts";
import { copyExample, type ExampleProject } from "./example-project.ts";

export const TableName = "shipping";

/** The bundle of the Lambda consumer beside the local stack, with an empty table for each test. */
export function useLambdaConsumer() {
  const operated = useOperatedStack();
  const clients = () => operated.clients();
  let project: ExampleProject;
  let handler: Handler;
  let lines: string[];
  beforeAll(async () => {
    project = await copyExample("lambda-consumer");
    project.npmRun("bundle");
    const variables = await operated.paycastJson("env");
    for (const [name, value] of Object.entries<string>(variables)) vi.stubEnv(name, value);
    vi.stubEnv("TABLE", TableName);
    handler = (await import(join(project.folder, "bundle/handler.mjs"))).handler;
  });
  beforeEach(async () => {
    lines = [];
    vi.spyOn(console, "log").mockImplementation((line) => void lines.push(line));
    vi.spyOn(console, "error").mockImplementation(() => {});
    await makeTable();
    return async () => void (await clients().dynamodb.send(new DeleteTableCommand({ TableName })));
  });
  afterAll(() => vi.unstubAllEnvs());

  const makeTable = async () => {
    const create = new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    });
    await clients().dynamodb.send(create);
  };
  const queueUrlOf = (subscriber: string) =>
    operated.target().queues.subscribers.find(({ name }) => name === subscriber)!.queueUrl;
  const sourceOf = (subscriber: string) => openSource(clients().sqs, queueUrlOf(subscriber));
  const handle = (Records: SQSRecord[]) => handler({ Records });
  const items = () => scan(clients().dynamodb, TableName);
  return {
    operated,
    project: () => project,
    makeTable,
    sourceOf,
    handle,
    items,
    keys: async () => (await items()).map(({ pk }) => String(pk)).sort(),
    /** What the function logged. */
    logged: () => lines.map((line) => JSON.parse(line)),
    forget: () => {
      lines = [];
    },
    /** The messages of an order, once there are so many. They are deleted: a group goes on only then. */
    receiveEvents: async (subscriber: string, orderNo: string, count: number) => {
      const own: SQSRecord[] = [];
      return await until(`${count} events of ${orderNo}`, async () => {
        const records = await sourceOf(subscriber).receive();
        own.push(...records.filter(({ body }) => JSON.parse(body).subject === orderNo));
        await sourceOf(subscriber).settle(records, { batchItemFailures: [] });
        return own.length >= count ? own : undefined;
      });
    },
    /** Does what Lambda does until the function has reported so many outcomes. Gives the messages that failed. */
    consume: async (subscriber: string, count: number) => {
      const failed: string[] = [];
      await until(`${count} handled events`, async () => {
        const records = await sourceOf(subscriber).receive();
        failed.push(...(await sourceOf(subscriber).settle(records, await handle(records))));
        return lines.length >= count ? true : undefined;
      });
      return failed;
    },
    emptied: async (subscriber: string) => {
      await until("an empty queue", async () => {
        const records = await sourceOf(subscriber).receive();
        await sourceOf(subscriber).settle(records, { batchItemFailures: [] });
        return records.length === 0 ? true : undefined;
      });
    },
    send: async (MessageGroupId: string, MessageBody: string) => {
      const message = { MessageGroupId, MessageBody, MessageDeduplicationId: randomUUID() };
      const QueueUrl = queueUrlOf("fulfilment");
      await clients().sqs.send(new SendMessageCommand({ QueueUrl, ...message }));
    },
  };
}

type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** What Lambda's event source mapping does with a queue, one step at a time. */
function openSource(sqs: SQSClient, QueueUrl: string) {
  const settle = async (
    { messageId, receiptHandle: ReceiptHandle }: SQSRecord,
    failed: string[],
  ) => {
    const again = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
    await (failed.includes(messageId)
      ? sqs.send(new ChangeMessageVisibilityCommand(again))
      : sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })));
  };
  return {
    receive: async (): Promise<SQSRecord[]> => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          MessageAttributeNames: ["All"],
          MessageSystemAttributeNames: ["All"],
        }),
      );
      return Messages.map(toRecord);
    },
    /** Deletes what was handled. What failed is visible again at once, not after the queue's 180 seconds. */
    settle: async (records: readonly SQSRecord[], { batchItemFailures }: SQSBatchResponse) => {
      const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      for (const record of records) await settle(record, failed);
      return failed;
    },
  };
}

function toRecord({ MessageId, Body, ReceiptHandle, Attributes, MessageAttributes }: Message) {
  const attributes = Object.entries(MessageAttributes ?? {}).map(([name, { StringValue }]) => [
    name,
    { stringValue: StringValue!, dataType: "String" as const },
  ]);
  return {
    messageId: MessageId!,
    body: Body!,
    receiptHandle: ReceiptHandle!,
    attributes: Attributes as SQSRecord["attributes"],
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "",
    awsRegion: "us-east-1",
  };
}
