import { randomBytes } from "node:crypto";
import {
  type AttributeValue,
  BatchWriteItemCommand,
  CreateTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { listedAttributes } from "../../shared/attention/attention.ts";
import type { Subscriber } from "../../shared/delivery/subscriber.ts";
import { fromAttributes, toAttributes } from "../../shared/table/attributes.ts";

/** Names are random: test files share nothing but the emulators. */
export const randomName = (kind: string) => `${kind}-${randomBytes(6).toString("hex")}`;

const text = (AttributeName: string) => ({ AttributeName, AttributeType: "S" as const });
const hash = (AttributeName: string) => ({ AttributeName, KeyType: "HASH" as const });
const range = (AttributeName: string) => ({ AttributeName, KeyType: "RANGE" as const });

const index = (IndexName: string, partition: string, sort: string) => ({
  IndexName,
  KeySchema: [hash(partition), range(sort)],
});

type Tables = Awaited<ReturnType<typeof createTables>>;

const unused: Tables[] = [];

/** Empty tables. Those of an ended test are emptied, because new ones take the emulator many times as long. */
export async function takeTables(client: DynamoDBClient): Promise<Tables> {
  const tables = unused.pop();
  if (tables === undefined) return await createTables(client);
  await Promise.all([
    empty(client, tables.callbacks, ["callbackKey", "receipt"]),
    empty(client, tables.orders, ["aggregateKey"]),
  ]);
  return tables;
}

export const giveBackTables = (tables: Tables) => void unused.push(tables);

async function empty(client: DynamoDBClient, table: string, keyNames: readonly string[]) {
  const keys = (await scan(client, table)).map((item) =>
    toAttributes(Object.fromEntries(keyNames.map((name) => [name, item[name]]))),
  );
  while (keys.length > 0) {
    const deletes = keys.splice(0, 25).map((Key) => ({ DeleteRequest: { Key } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: deletes } }));
  }
}

/** The two tables with the keys that the stack declares. */
async function createTables(client: DynamoDBClient) {
  const tables = { callbacks: randomName("callbacks"), orders: randomName("orders") };
  await client.send(
    new CreateTableCommand({
      TableName: tables.callbacks,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        "callbackKey",
        "receipt",
        "group",
        "timeBucket",
        "recordedAt",
        "attentionShard",
        "attentionSince",
      ].map(text),
      KeySchema: [hash("callbackKey"), range("receipt")],
      GlobalSecondaryIndexes: [
        {
          ...index("by-aggregate", "group", "recordedAt"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
        {
          ...index("by-time", "timeBucket", "recordedAt"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
        {
          ...index("by-attention", "attentionShard", "attentionSince"),
          Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: [...listedAttributes] },
        },
      ],
    }),
  );
  await client.send(
    new CreateTableCommand({
      TableName: tables.orders,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        text("aggregateKey"),
        text("dueShard"),
        { AttributeName: "dueAtMilliseconds", AttributeType: "N" },
        { AttributeName: "earlyAtMilliseconds", AttributeType: "N" },
        text("dayShard"),
        text("dayPlace"),
      ],
      KeySchema: [hash("aggregateKey")],
      GlobalSecondaryIndexes: [
        {
          ...index("by-due", "dueShard", "dueAtMilliseconds"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
        {
          ...index("by-early", "dueShard", "earlyAtMilliseconds"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
        {
          ...index("by-day", "dayShard", "dayPlace"),
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    }),
  );
  return tables;
}

export async function createQueue(client: SQSClient, name: string, ordered: boolean) {
  const command = new CreateQueueCommand({
    QueueName: ordered ? `${name}.fifo` : name,
    Attributes: { VisibilityTimeout: "180", ...(ordered && { FifoQueue: "true" }) },
  });
  const { QueueUrl } = await client.send(command);
  return QueueUrl!;
}

/** Receives one batch, which stays in flight until each message is deleted. */
export async function receive(
  client: SQSClient,
  QueueUrl: string,
  WaitTimeSeconds = 0,
): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    WaitTimeSeconds,
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ["All"],
    MessageSystemAttributeNames: ["All"],
  });
  return (await client.send(command)).Messages ?? [];
}

export async function remove(client: SQSClient, QueueUrl: string, message: Message) {
  const { ReceiptHandle } = message;
  await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

/** Takes everything out of a queue, in the order in which a consumer gets it. */
export async function drain(client: SQSClient, queueUrl: string): Promise<Message[]> {
  const all: Message[] = [];
  for (let batch = await receive(client, queueUrl); batch.length > 0; ) {
    for (const message of batch) await remove(client, queueUrl, message);
    all.push(...batch);
    batch = await receive(client, queueUrl);
  }
  return all;
}

export async function getItem(
  client: DynamoDBClient,
  TableName: string,
  key: Record<string, string>,
): Promise<Record<string, unknown> | undefined> {
  const Key = toAttributes(key);
  const { Item } = await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return Item && fromAttributes(Item);
}

export async function putItem(client: DynamoDBClient, TableName: string, item: object) {
  await client.send(new PutItemCommand({ TableName, Item: toAttributes(item) }));
}

export async function scan(
  client: DynamoDBClient,
  TableName: string,
): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName, ExclusiveStartKey }));
    items.push(...(page.Items ?? []).map(fromAttributes));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return items;
}

/** The subscribers as the environment of process-callback has them. */
export function subscribersText(subscribers: readonly Subscriber[]): string {
  const listed = subscribers.map(({ queueUrl, ordered: _ordered, ...subscriber }) => {
    return { ...subscriber, queue: queueUrl.split("/").at(-1) };
  });
  return JSON.stringify(listed);
}
