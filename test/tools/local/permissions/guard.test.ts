import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
} from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { type AwsClients, createAwsClients } from "../../../../tools/local/aws/aws-clients.ts";
import { startDynamodb } from "../../../../tools/local/aws/dynamodb.ts";
import { startSecretsManager } from "../../../../tools/local/aws/secrets-manager.ts";
import { startSqs } from "../../../../tools/local/aws/sqs/start-sqs.ts";
import { createGuard } from "../../../../tools/local/permissions/guard.ts";
import type { Statement } from "../../../../tools/local/permissions/policy.ts";
import { randomName } from "../../../integration/aws-stores.ts";

const arn = (service: string, resource: string) =>
  `arn:aws:${service}:us-east-1:000000000000:${resource}`;
const role = "arn:aws:iam::000000000000:role/Writer";
const session = "arn:aws:sts::000000000000:assumed-role/Writer/local";
const TableName = randomName("guarded");
const allow = (Action: string[], Resource: string[], Condition?: Statement["Condition"]) =>
  ({ Effect: "Allow", Action, Resource, Condition }) as const;

const printed: string[] = [];
const guard = createGuard({ tell: (line) => printed.push(line) });
let admin: AwsClients;
let writer: AwsClients;
let early: AwsClients;
const urls: Record<string, string> = {};
const stops: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  const environment = { PAYCAST_DYNAMODB_ENDPOINT: inject("emulators").dynamodb };
  const services = {
    sqs: await startSqs({ guard }),
    secretsmanager: await startSecretsManager({ guard }),
    dynamodb: await startDynamodb({ guard, environment }),
  };
  const endpoints = {
    sqs: services.sqs.endpoint,
    secretsmanager: services.secretsmanager.endpoint,
    dynamodb: services.dynamodb.endpoint,
  };
  admin = createAwsClients(endpoints);
  writer = createAwsClients(endpoints, { accessKeyId: "writer", secretAccessKey: "any" });
  early = createAwsClients(endpoints, { accessKeyId: "early", secretAccessKey: "any" });
  stops.push(
    admin.destroy,
    writer.destroy,
    early.destroy,
    ...Object.values(services).map(({ stop }) => stop),
  );
  for (const QueueName of ["own", "closed", "barred", "other"]) {
    urls[QueueName] = (await admin.sqs.send(new CreateQueueCommand({ QueueName }))).QueueUrl!;
  }
  await admin.dynamodb.send(
    new CreateTableCommand({
      TableName,
      KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  const made = await admin.secretsmanager.send(
    new CreateSecretCommand({ Name: "keys", SecretString: "value" }),
  );
  const closed: Statement = {
    Effect: "Deny",
    Principal: { AWS: ["*"] },
    Action: ["sqs:SendMessage"],
    Resource: [arn("sqs", "closed")],
    Condition: { ArnNotLike: { "aws:PrincipalArn": ["arn:aws:iam::000000000000:role/Another"] } },
  };
  // It lets the accounts decide: a role of this account needs its own permission all the same.
  const forAccounts: Statement = {
    Effect: "Allow",
    Principal: { AWS: ["arn:aws:iam::000000000000:root", "arn:aws:iam::210987654321:root"] },
    Action: ["sqs:*"],
    Resource: [arn("sqs", "other")],
  };
  // To deny an account is to deny each of its roles.
  const barred: Statement = { ...forAccounts, Effect: "Deny", Resource: [arn("sqs", "barred")] };
  // A test may add an operator before the stack is made.
  guard.add({
    name: "early",
    arn: "arn:aws:iam::000000000000:role/Early",
    statements: [allow(["sqs:SendMessage"], [arn("sqs", "own"), arn("sqs", "closed")])],
  });
  guard.enforce({
    principals: [
      {
        name: "writer",
        arn: role,
        statements: [
          allow(
            ["sqs:SendMessage"],
            ["own", "closed", "barred"].map((queue) => arn("sqs", queue)),
          ),
          allow(["secretsmanager:GetSecretValue"], [made.ARN!]),
          allow(["dynamodb:PutItem"], [arn("dynamodb", `table/${TableName}`)], {
            "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["own#*"] },
          }),
        ],
      },
    ],
    resourceStatements: [closed, barred, forAccounts],
    partitionKeys: new Map([[TableName, "id"]]),
  });
});
afterAll(async () => {
  await admin.dynamodb.send(new DeleteTableCommand({ TableName }));
  for (const stop of stops) await stop();
});

const send = (queue: string) => new SendMessageCommand({ QueueUrl: urls[queue], MessageBody: "m" });
const Item = (id: string) => ({ id: { S: id } });
const refusal = async (calling: Promise<unknown>) =>
  await calling.then(
    () => "allowed",
    (error) => ({ ...error, name: error.name, message: error.message }),
  );

describe("SQS", () => {
  test("carries out what the role allows, and denies the rest in its own form", async () => {
    await writer.sqs.send(send("own"));
    expect(await refusal(writer.sqs.send(send("other")))).toMatchObject({
      name: "AccessDenied",
      Code: "AccessDenied",
      $fault: "client",
      $metadata: { httpStatusCode: 403, attempts: 1 },
      message: `User: ${session} is not authorized to perform: sqs:sendmessage on resource: ${arn("sqs", "other")} because no identity-based policy allows the sqs:sendmessage action`,
    });
    const receiving = writer.sqs.send(new ReceiveMessageCommand({ QueueUrl: urls["own"] }));
    expect(await refusal(receiving)).toMatchObject({ name: "AccessDenied" });
  });

  test("asks the queue's policy too, which denies first", async () => {
    expect(await refusal(writer.sqs.send(send("closed")))).toMatchObject({
      message: expect.stringMatching(/:closed with an explicit deny in a resource-based policy$/),
    });
  });

  test("denies what the queue's policy denies to the whole account", async () => {
    expect(await refusal(writer.sqs.send(send("barred")))).toMatchObject({
      message: expect.stringMatching(/:barred with an explicit deny in a resource-based policy$/),
    });
  });

  test("asks the queue's policy also about somebody who was added before it", async () => {
    await early.sqs.send(send("own"));
    expect(await refusal(early.sqs.send(send("closed")))).toMatchObject({
      message: expect.stringMatching(/:closed with an explicit deny in a resource-based policy$/),
    });
  });

  test("denies in the older protocol too", async () => {
    const answer = await fetch(urls["other"]!, {
      method: "POST",
      headers: {
        authorization: "AWS4-HMAC-SHA256 Credential=writer/20261117/us-east-1/sqs/aws4_request",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: `Action=ReceiveMessage&QueueUrl=${encodeURIComponent(urls["other"]!)}`,
    });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("<Code>AccessDenied</Code>");
  });
});

describe("Secrets Manager", () => {
  test("finds the ARN behind a name, and denies another operation", async () => {
    const got = await writer.secretsmanager.send(new GetSecretValueCommand({ SecretId: "keys" }));
    expect(got.SecretString).toBe("value");
    const put = new PutSecretValueCommand({ SecretId: "keys", SecretString: "mine" });
    expect(await refusal(writer.secretsmanager.send(put))).toMatchObject({
      name: "AccessDeniedException",
      $metadata: { httpStatusCode: 400 },
      message: expect.stringContaining("perform: secretsmanager:PutSecretValue on resource: arn:"),
    });
  });
});

describe("DynamoDB", () => {
  const count = async (dynamodb: DynamoDBClient) =>
    (await dynamodb.send(new ScanCommand({ TableName }))).Count;

  test("denies an item with another key, and another operation", async () => {
    await writer.dynamodb.send(new PutItemCommand({ TableName, Item: Item("own#1") }));
    const foreign = new PutItemCommand({ TableName, Item: Item("foreign#1") });
    expect(await refusal(writer.dynamodb.send(foreign))).toMatchObject({
      name: "AccessDeniedException",
      $metadata: { httpStatusCode: 400, attempts: 1 },
      message: `User: ${session} is not authorized to perform: dynamodb:PutItem on resource: ${arn("dynamodb", `table/${TableName}`)} because no identity-based policy allows the dynamodb:PutItem action`,
    });
    const read = new GetItemCommand({ TableName, Key: Item("own#1") });
    expect(await refusal(writer.dynamodb.send(read))).toMatchObject({
      name: "AccessDeniedException",
    });
    expect(await count(admin.dynamodb)).toBe(1);
  });

  test("carries out nothing of a transaction with one denied part of five", async () => {
    const before = await count(admin.dynamodb);
    const transaction = (ids: string[]) =>
      new TransactWriteItemsCommand({
        TransactItems: ids.map((id) => ({ Put: { TableName, Item: Item(id) } })),
      });
    const partlyForeign = transaction(["own#a", "own#b", "own#c", "foreign#d", "own#e"]);
    expect(await refusal(writer.dynamodb.send(partlyForeign))).toMatchObject({
      name: "AccessDeniedException",
    });
    expect(await count(admin.dynamodb)).toBe(before);
    await writer.dynamodb.send(transaction(["own#a", "own#b", "own#c", "own#d", "own#e"]));
    expect(await count(admin.dynamodb)).toBe(before! + 5);
  });

  test("denies a part that only checks a condition, without dynamodb:ConditionCheckItem", async () => {
    const check = { TableName, Key: Item("own#a"), ConditionExpression: "attribute_exists(id)" };
    const transaction = new TransactWriteItemsCommand({
      TransactItems: [{ ConditionCheck: check }],
    });
    expect(await refusal(writer.dynamodb.send(transaction))).toMatchObject({
      message: expect.stringContaining("dynamodb:ConditionCheckItem"),
    });
  });
});

test("other credentials are an administrator's, whom no policy stops", async () => {
  await admin.sqs.send(send("closed"));
  await admin.sqs.send(send("other"));
});

test("what was used and what was denied is known, each once", async () => {
  await writer.sqs.send(send("own"));
  await writer.sqs.send(send("own"));
  await refusal(writer.sqs.send(send("other")));
  await refusal(writer.sqs.send(send("other")));
  const sends = guard.uses().filter(({ requirement }) => requirement.action === "sqs:SendMessage");
  expect(sends.filter(({ principal }) => principal === "writer")).toMatchObject([
    { principal: "writer", requirement: { resource: arn("sqs", "own") } },
  ]);
  const denied = guard
    .denials()
    .filter(({ message }) =>
      message.includes(`sqs:sendmessage on resource: ${arn("sqs", "other")}`),
    );
  expect(denied).toMatchObject([{ principal: "writer" }]);
  expect(printed.filter((line) => line.includes(denied[0]!.message))).toHaveLength(1);
});
