import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSRecord } from "aws-lambda";

/** `npm run local`: creates the table and calls the handler with messages of the queue, as Lambda does. */
const { QUEUE_URL: QueueUrl = "", TABLE: TableName = "" } = process.env;
if (QueueUrl === "" || TableName === "") {
  throw new Error("QUEUE_URL and TABLE must be set. The README has the command.");
}
const sqs = new SQSClient({});
await createTable();
const { handler } = await import("./handler.js");
console.log(`Reading ${QueueUrl} into the table ${TableName}. Ctrl-C ends it.`);
for (;;) await runBatch();

async function runBatch(): Promise<void> {
  const receive = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 5,
    MessageAttributeNames: ["All"],
    MessageSystemAttributeNames: ["All"],
  });
  const { Messages = [] } = await sqs.send(receive);
  const { batchItemFailures } = await handler({ Records: Messages.map(toRecord) });
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  for (const { MessageId = "", ReceiptHandle } of Messages) {
    if (failed.has(MessageId)) continue;
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
}

/** Converts an SDK message to Lambda's field names. */
function toRecord({ MessageId = "", Body = "", ...message }: Message): SQSRecord {
  const attributes = Object.entries(message.MessageAttributes ?? {}).map(
    ([name, { StringValue }]) =>
      [name, { stringValue: StringValue ?? "", dataType: "String" }] as const,
  );
  const {
    MessageGroupId,
    ApproximateReceiveCount = "1",
    SentTimestamp = "",
  } = message.Attributes ?? {};
  return {
    messageId: MessageId,
    body: Body,
    receiptHandle: message.ReceiptHandle ?? "",
    attributes: {
      ApproximateReceiveCount,
      SentTimestamp,
      SenderId: "local",
      ApproximateFirstReceiveTimestamp: SentTimestamp,
      ...(MessageGroupId !== undefined && { MessageGroupId }),
    },
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: "",
    eventSource: "aws:sqs",
    eventSourceARN: "",
    awsRegion: "",
  };
}

async function createTable(): Promise<void> {
  const create = new CreateTableCommand({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
  });
  await new DynamoDBClient({}).send(create).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
}
