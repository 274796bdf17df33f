import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, expect, inject, test } from "vitest";
import { type AwsClients, createAwsClients } from "../../../../tools/local/aws/aws-clients.ts";
import { startDynamodb } from "../../../../tools/local/aws/dynamodb.ts";
import { startSqs } from "../../../../tools/local/aws/sqs/start-sqs.ts";
import { addPoller, createGuard } from "../../../../tools/local/permissions/guard.ts";
import { createOutages } from "../../../../tools/local/permissions/outages.ts";
import { randomName } from "../../../integration/aws-stores.ts";
import { createTable } from "../aws/aws-clients.ts";

const outages = createOutages();
const guard = createGuard({ outages });
const things = randomName("things");
const clients: AwsClients[] = [];
const stops: (() => Promise<void>)[] = [];
let admin: AwsClients;
/** The function's code. */
let code: AwsClients;
/** Lambda itself, which reads the function's queue. */
let poller: AwsClients;
let endpoint: string;
let queueUrls: readonly string[];

beforeAll(async () => {
  const environment = { PAYCAST_DYNAMODB_ENDPOINT: inject("emulators").dynamodb };
  const [sqs, dynamodb] = await Promise.all([
    startSqs({ guard }),
    startDynamodb({ guard, environment }),
  ]);
  stops.push(sqs.stop, dynamodb.stop);
  endpoint = sqs.endpoint;
  guard.enforce({
    principals: [
      {
        name: "worker",
        arn: "arn:aws:iam::000000000000:role/Worker",
        functionArn: "arn:aws:lambda:us-east-1:000000000000:function:worker",
        statements: [{ Effect: "Allow", Action: ["sqs:*", "dynamodb:*"], Resource: ["*"] }],
      },
    ],
    resourceStatements: [],
    partitionKeys: new Map([[things, "k"]]),
  });
  const endpoints = { sqs: endpoint, dynamodb: dynamodb.endpoint, secretsmanager: endpoint };
  const clientsOf = (accessKeyId: string) =>
    createAwsClients(endpoints, { accessKeyId, secretAccessKey: "any" });
  admin = clientsOf("administrator");
  code = clientsOf("worker");
  poller = clientsOf(addPoller(guard, "worker"));
  clients.push(admin, code, poller);
  const createQueue = async (name: string) => {
    const made = await admin.sqs.send(new CreateQueueCommand({ QueueName: randomName(name) }));
    return made.QueueUrl!;
  };
  queueUrls = await Promise.all(["one", "two"].map(createQueue));
  await admin.dynamodb.send(createTable(things));
});
afterEach(() => {
  for (const service of ["sqs", "dynamodb"] as const) outages.setOutage(service, false);
  for (const url of queueUrls) outages.setQueueGone(url, false);
});
afterAll(async () => {
  for (const { destroy } of clients) destroy();
  await Promise.all(stops.map((stop) => stop()));
});

const send = (queueUrl: string, sqs: SQSClient = code.sqs) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: "hello" }));
const sendBatch = (QueueUrl: string) =>
  code.sqs.send(
    new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: "1", MessageBody: "hello" }] }),
  );
const read = () => new GetItemCommand({ TableName: things, Key: { k: { S: "key" } } });
const errorOf = (call: Promise<unknown>) => call.catch((thrown: unknown) => thrown);

test("while SQS is out, a function's SDK tries three times and reports ServiceUnavailable", async () => {
  outages.setOutage("sqs", true);
  expect(await errorOf(send(queueUrls[0]!))).toMatchObject({
    name: "ServiceUnavailable",
    $fault: "server",
    $metadata: { httpStatusCode: 503, attempts: 3 },
  });
  outages.setOutage("sqs", false);
  await send(queueUrls[0]!);
});

test("an outage is one for functions only: not for an administrator, nor for Lambda's poller", async () => {
  outages.setOutage("sqs", true);
  outages.setOutage("dynamodb", true);
  await send(queueUrls[0]!, admin.sqs);
  await send(queueUrls[0]!, poller.sqs);
  await admin.dynamodb.send(read());
});

test("while DynamoDB is out, SQS goes on", async () => {
  outages.setOutage("dynamodb", true);
  expect(await errorOf(code.dynamodb.send(read()))).toMatchObject({
    name: "ServiceUnavailable",
    $metadata: { httpStatusCode: 503 },
  });
  await send(queueUrls[0]!);
});

test.each([
  ["SendMessage", send],
  ["SendMessageBatch", sendBatch],
])(
  "%s to a queue that is gone is refused like one to a deleted queue; looking at it is not",
  async (_name, sends) => {
    const [gone, there] = queueUrls as [string, string];
    outages.setQueueGone(gone, true);
    const error = await errorOf(sends(gone));
    const real = await errorOf(send(`${endpoint}/000000000000/never-made`));
    const expected = {
      name: "QueueDoesNotExist",
      Code: "AWS.SimpleQueueService.NonExistentQueue",
      Type: "Sender",
      $metadata: { httpStatusCode: 400, attempts: 1 },
    };
    expect(error).toMatchObject(expected);
    expect(real).toMatchObject(expected);
    const look = new GetQueueAttributesCommand({ QueueUrl: gone, AttributeNames: ["All"] });
    expect((await code.sqs.send(look)).Attributes).toHaveProperty("QueueArn");
    await sends(there);
    outages.setQueueGone(gone, false);
    await sends(gone);
  },
);
