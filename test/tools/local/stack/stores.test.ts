import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "vitest";
import { everyOption } from "../../../infra/every-option.ts";
import { resourcesOf, synthesizeTemplate } from "../../../infra/stack-template.ts";
import { dynamodbClient, secretsClient } from "../aws/aws-clients.ts";
import { lambda, role, useStacks } from "./stack-fixture.ts";

const fixture = useStacks();
const dynamodb = () => dynamodbClient(fixture.emulators.dynamodb);
const secretsManager = () => secretsClient(fixture.emulators.secretsmanager);

const pendingIndex = {
  IndexName: "pending",
  KeySchema: [{ AttributeName: "deferred", KeyType: "HASH" }],
  Projection: { ProjectionType: "ALL" },
};
const table = (properties: object = {}) => ({
  Type: "AWS::DynamoDB::Table",
  Properties: {
    AttributeDefinitions: ["callbackKey", "deferred"].map((AttributeName) => {
      return { AttributeName, AttributeType: "S" };
    }),
    KeySchema: [{ AttributeName: "callbackKey", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
    GlobalSecondaryIndexes: [pendingIndex],
    TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
    ...properties,
  },
});

describe("tables", () => {
  test("have their keys, indexes and expiry", async () => {
    const { tables } = await fixture.start({ Callbacks: table() });
    const TableName = tables[0]!.name;
    expect(TableName).toBe(`${fixture.stackName}-Callbacks`);
    const { Table } = await dynamodb().send(new DescribeTableCommand({ TableName }));
    expect(Table).toMatchObject({
      KeySchema: [{ AttributeName: "callbackKey", KeyType: "HASH" }],
      GlobalSecondaryIndexes: [expect.objectContaining({ IndexName: "pending" })],
    });
    const expiry = await dynamodb().send(new DescribeTimeToLiveCommand({ TableName }));
    expect(expiry.TimeToLiveDescription).toMatchObject({ AttributeName: "expiresAt" });
  });

  test("are empty at each start, unless data is kept", async () => {
    const Item = { callbackKey: { S: "1" } };
    const start = async (keepData: boolean) => {
      const stack = await fixture.start({ Kept: table() }, { keepData });
      await stack.stop();
      return stack.tables[0]!.name;
    };
    const TableName = await start(false);
    const get = new GetItemCommand({ TableName, Key: Item });
    await dynamodb().send(new PutItemCommand({ TableName, Item }));
    await start(true);
    expect((await dynamodb().send(get)).Item).toEqual(Item);
    await start(false);
    expect((await dynamodb().send(get)).Item).toBeUndefined();
  });

  test("of an earlier stack with another shape are refused, and the error says what to do", async () => {
    await (await fixture.start({ Shaped: table() })).stop();
    const other = table({ GlobalSecondaryIndexes: [] });
    const starting = fixture.start({ Shaped: other }, { keepData: true });
    await expect(starting).rejects.toThrow(/-Shaped .*Start once without --keep/);
  });
});

describe("secrets", () => {
  const secret = { Type: "AWS::SecretsManager::Secret", Properties: { Description: "keys" } };

  test("have no value at first, and functions know their ARN", async () => {
    const KEYS = { "Fn::Join": ["", ['{"shop":"', { Ref: "Keys" }, '"}']] };
    const { secrets, functions } = await fixture.startFunction(
      "export const handler = async () => process.env.KEYS;",
      { Keys: secret },
      { Environment: { Variables: { KEYS } } },
    );
    const { arn } = secrets[0]!;
    const invoked = await functions[0]!.invoke({});
    expect(JSON.parse(JSON.parse(invoked.ok ? invoked.json : ""))).toEqual({ shop: arn });
    const reading = secretsManager().send(new GetSecretValueCommand({ SecretId: arn }));
    await expect(reading).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test("keep their value over a restart of the stack", async () => {
    const first = await fixture.start({ Lasting: secret });
    const SecretId = first.secrets[0]!.arn;
    await secretsManager().send(new PutSecretValueCommand({ SecretId, SecretString: "set" }));
    await first.stop();
    const second = await fixture.start({ Lasting: secret });
    expect(second.secrets[0]!.arn).toBe(SecretId);
    const read = await secretsManager().send(new GetSecretValueCommand({ SecretId }));
    expect(read.SecretString).toBe("set");
  });
});

describe("a secret with a value made by chance", () => {
  const secret = { Type: "AWS::SecretsManager::Secret", Properties: {} };
  const generated = (PasswordLength: number) => ({
    ...secret,
    Properties: { GenerateSecretString: { PasswordLength, ExcludePunctuation: true } },
  });
  const secretText = async (SecretId: string) =>
    (await secretsManager().send(new GetSecretValueCommand({ SecretId }))).SecretString;

  test("is as long as the template says, different each time, and lasts over a restart", async () => {
    const resources = { StampA: generated(64), StampB: generated(64) };
    const first = await fixture.start(resources);
    const values = await Promise.all(first.secrets.map(({ arn }) => secretText(arn)));
    for (const value of values) expect(value).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(new Set(values).size).toBe(2);
    await first.stop();
    const second = await fixture.start(resources);
    expect(await Promise.all(second.secrets.map(({ arn }) => secretText(arn)))).toEqual(values);
  });

  test("is refused beside kept secrets of a stack that had none, each time, with what to do", async () => {
    await (await fixture.start({ OldKeys: secret })).stop();
    const now = { OldKeys: secret, NewStamp: generated(64) };
    for (const _turn of "12") {
      await expect(fixture.start(now)).rejects.toMatchObject({
        code: "local-data-outdated",
        message: expect.stringMatching(/no stamp key.*Delete the folder data/),
      });
    }
  });
});

describe("a template with something unknown is refused, and the error names it", () => {
  const url = { Environment: { Variables: { URL: { Ref: "Nowhere" } } } };
  const valued = { Type: "AWS::SecretsManager::Secret", Properties: { SecretString: "x" } };
  const streaming = table({ StreamSpecification: { StreamViewType: "NEW_IMAGE" } });

  test.each<[what: string, resources: object, message: RegExp]>([
    ["a resource type", { Uploads: { Type: "AWS::S3::Bucket" } }, /AWS::S3::Bucket \(Uploads\)/],
    ["a condition", { Queue: { Type: "AWS::SQS::Queue", Condition: "IsTest" } }, /Queue.Condition/],
    ["a property", { Callbacks: streaming }, /Callbacks.*unknown fields: StreamSpecification/],
    ["a secret with a value", { Keys: valued }, /Keys.*unknown fields: SecretString/],
    ["a reference", { Role: role, Fn: lambda("fn", url) }, /Nowhere/],
    ["code that is missing", { Role: role, Fn: lambda("never-written") }, /code of Fn.*never-w/],
  ])("%s", async (_what, resources, message) => {
    fixture.write("fn", "");
    await expect(fixture.start(resources)).rejects.toThrow(message);
  });
});

test("a stack with every option of the config can run here", async () => {
  fixture.write("fn", "export const handler = async () => undefined;");
  const { Resources } = synthesizeTemplate(everyOption);
  const functions = resourcesOf({ Resources, Outputs: {} }, "AWS::Lambda::Function");
  for (const [, { Metadata }] of functions) Metadata!["aws:asset:path"] = "fn";
  const stack = await fixture.start(Resources);
  expect(stack.functions).toHaveLength(functions.length);
});
