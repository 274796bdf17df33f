import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Emulators, startEmulators } from "../../local/aws/start-emulators.ts";
import { dynamodbClient, secretsClient } from "./aws-clients.ts";
import { lambda, role, StackFixture } from "./stack-fixture.ts";

let emulators: Emulators;
let fixture: StackFixture;

beforeAll(async () => {
  emulators = await startEmulators();
});
afterAll(() => emulators.stop());
beforeEach(() => {
  fixture = new StackFixture();
});
afterEach(() => fixture.stop());

const table = (properties: object = {}) => ({
  Type: "AWS::DynamoDB::Table",
  Properties: {
    AttributeDefinitions: [
      { AttributeName: "callbackKey", AttributeType: "S" },
      { AttributeName: "deferred", AttributeType: "S" },
    ],
    KeySchema: [{ AttributeName: "callbackKey", KeyType: "HASH" }],
    BillingMode: "PAY_PER_REQUEST",
    GlobalSecondaryIndexes: [
      {
        IndexName: "pending",
        KeySchema: [{ AttributeName: "deferred", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ],
    TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    SSESpecification: { SSEEnabled: true },
    ...properties,
  },
  DeletionPolicy: "Retain",
});

describe("tables", () => {
  const Item = { callbackKey: { S: "1" }, deferred: { S: "yes" } };
  const put = async (TableName: string) => {
    const client = dynamodbClient(emulators.dynamodb);
    await client.send(new PutItemCommand({ TableName, Item }));
  };
  const get = async (TableName: string) => {
    const Key = { callbackKey: { S: "1" } };
    const command = new GetItemCommand({ TableName, Key });
    return (await dynamodbClient(emulators.dynamodb).send(command)).Item;
  };

  test("have their keys, indexes and expiry", async () => {
    const { tables } = await fixture.start(emulators, { Callbacks: table() });
    const TableName = tables[0]!.name;
    expect(TableName).toBe("Paycast-Callbacks");
    const client = dynamodbClient(emulators.dynamodb);
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    expect(Table).toMatchObject({
      KeySchema: [{ AttributeName: "callbackKey", KeyType: "HASH" }],
      GlobalSecondaryIndexes: [expect.objectContaining({ IndexName: "pending" })],
    });
    const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    expect(expiry.TimeToLiveDescription).toMatchObject({ AttributeName: "expiresAt" });
    await put(TableName);
    const found = await client.send(
      new QueryCommand({
        TableName,
        IndexName: "pending",
        KeyConditionExpression: "#deferred = :yes",
        ExpressionAttributeNames: { "#deferred": "deferred" },
        ExpressionAttributeValues: { ":yes": { S: "yes" } },
      }),
    );
    expect(found.Items).toEqual([Item]);
  });

  test("are empty at each start, unless data is kept", async () => {
    const start = async (keepData: boolean) => {
      const stack = await fixture.start(emulators, { Kept: table() }, { keepData });
      await stack.stop();
      return stack.tables[0]!.name;
    };
    const name = await start(false);
    await put(name);
    await start(true);
    expect(await get(name)).toEqual(Item);
    await start(false);
    expect(await get(name)).toBeUndefined();
  });

  test("kept from a stack of another shape are refused with what to do", async () => {
    await (await fixture.start(emulators, { Shaped: table() })).stop();
    const other = table({ GlobalSecondaryIndexes: [] });
    const starting = fixture.start(emulators, { Shaped: other }, { keepData: true });
    await expect(starting).rejects.toThrow(/Paycast-Shaped.*Start once without keeping data/);
  });
});

describe("secrets", () => {
  const secret = (properties: object = {}) => ({
    Type: "AWS::SecretsManager::Secret",
    Properties: { Description: "keys", ...properties },
  });

  test("without a value have none, and functions know them by ARN", async () => {
    fixture.write("fn", "export const handler = async () => process.env.KEYS;");
    const byMerchant = { "Fn::Join": ["", ['{"shop":"', { Ref: "Keys" }, '"}']] };
    const { secrets, functions } = await fixture.start(emulators, {
      Role: role,
      Keys: secret(),
      Fn: lambda("fn", { Environment: { Variables: { KEYS: byMerchant } } }),
    });
    const { arn } = secrets[0]!;
    const invoked = await functions[0]!.invoke({});
    expect(JSON.parse(JSON.parse(invoked.ok ? invoked.json : ""))).toEqual({ shop: arn });
    const reading = secretsClient(emulators.secretsmanager).send(
      new GetSecretValueCommand({ SecretId: arn }),
    );
    await expect(reading).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test("that were set stay set over a restart of the stack", async () => {
    const client = secretsClient(emulators.secretsmanager);
    const first = await fixture.start(emulators, { Lasting: secret() });
    const SecretId = first.secrets[0]!.arn;
    await client.send(new PutSecretValueCommand({ SecretId, SecretString: "set" }));
    await first.stop();
    const second = await fixture.start(emulators, { Lasting: secret() });
    expect(second.secrets[0]!.arn).toBe(SecretId);
    expect((await client.send(new GetSecretValueCommand({ SecretId }))).SecretString).toBe("set");
  });

  test("with a value or a generator have one", async () => {
    const client = secretsClient(emulators.secretsmanager);
    const generate = { SecretStringTemplate: '{"user":"u"}', GenerateStringKey: "password" };
    const { secrets } = await fixture.start(emulators, {
      Given: secret({ SecretString: "given" }),
      Made: secret({ GenerateSecretString: { ...generate, PasswordLength: 20 } }),
    });
    const read = async (index: number) => {
      const SecretId = secrets[index]!.name;
      return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString!;
    };
    expect(await read(0)).toBe("given");
    expect(JSON.parse(await read(1))).toEqual({
      user: "u",
      password: expect.stringMatching(/^.{20}$/),
    });
  });
});

describe("schedules", () => {
  const rule = (expression: string, target: object = {}) => ({
    Type: "AWS::Events::Rule",
    Properties: {
      ScheduleExpression: expression,
      State: "ENABLED",
      Targets: [{ Arn: { "Fn::GetAtt": ["Fn", "Arn"] }, Id: "Target0", ...target }],
    },
  });
  const ticks = () => fixture.events.filter(({ kind }) => kind === "schedule").length;
  const lines = () =>
    fixture.events.flatMap((event) => (event.kind === "output" ? [JSON.parse(event.line)] : []));

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    fixture.write("fn", "export const handler = async (e) => console.log(JSON.stringify(e));");
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("call their function once per interval with the event that EventBridge makes", async () => {
    const resources = { Role: role, Fn: lambda("fn"), Rule: rule("rate(2 minutes)") };
    await fixture.start(emulators, resources);
    vi.advanceTimersByTime(119_999);
    expect(ticks()).toBe(0);
    vi.advanceTimersByTime(1);
    await expect.poll(ticks).toBe(1);
    await expect.poll(lines).toMatchObject([{ "detail-type": "Scheduled Event", detail: {} }]);
  });

  test("of EventBridge Scheduler call it with the input they have", async () => {
    const schedule = {
      Type: "AWS::Scheduler::Schedule",
      Properties: {
        ScheduleExpression: "rate(1 hour)",
        FlexibleTimeWindow: { Mode: "OFF" },
        Target: {
          Arn: { "Fn::GetAtt": ["Fn", "Arn"] },
          RoleArn: { "Fn::GetAtt": ["Role", "Arn"] },
          Input: '{"limit":3}',
        },
      },
    };
    await fixture.start(emulators, { Role: role, Fn: lambda("fn"), Schedule: schedule });
    vi.advanceTimersByTime(3_600_000);
    await expect.poll(lines).toEqual([{ limit: 3 }]);
  });

  test("of a form that is not known are refused by name", async () => {
    const resources = { Role: role, Fn: lambda("fn"), Nightly: rule("cron(0 3 * * ? *)") };
    const starting = fixture.start(emulators, resources);
    await expect(starting).rejects.toThrow(/Nightly.*cron\(0 3/);
  });
});

describe("what it does not know is an error that names it", () => {
  const bucket = { Type: "AWS::S3::Bucket" };

  test("a resource type", async () => {
    const starting = fixture.start(emulators, { Uploads: bucket });
    await expect(starting).rejects.toThrow(/AWS::S3::Bucket \(Uploads\)/);
  });

  test("a property of a resource", async () => {
    const streaming = table({ StreamSpecification: { StreamViewType: "NEW_IMAGE" } });
    const starting = fixture.start(emulators, { Callbacks: streaming });
    await expect(starting).rejects.toThrow(/Callbacks.*unknown fields: StreamSpecification/);
  });

  test("a reference to nothing", async () => {
    const Variables = { URL: { Ref: "Nowhere" } };
    fixture.write("fn", "");
    const resources = { Role: role, Fn: lambda("fn", { Environment: { Variables } }) };
    await expect(fixture.start(emulators, resources)).rejects.toThrow(/Nowhere/);
  });

  test("a function whose code is not there", async () => {
    const resources = { Role: role, Fn: lambda("never-written") };
    await expect(fixture.start(emulators, resources)).rejects.toThrow(/code of Fn.*never-written/);
  });

  test("but not a resource whose condition does not hold", async () => {
    const template = { Conditions: { Never: { "Fn::Equals": ["a", "b"] } } };
    const resources = { Orders: { ...table(), Condition: "Never" } };
    const { tables } = await fixture.start(emulators, resources, { template });
    expect(tables).toEqual([]);
  });
});

test("a function's code is found by its archive's name where the metadata is missing", async () => {
  fixture.write("asset.abc123", "export const handler = async () => 'found';");
  const { Metadata: _none, ...fn } = lambda("abc123");
  const { functions } = await fixture.start(emulators, { Role: role, Fn: fn });
  expect(await functions[0]!.invoke({})).toEqual({ ok: true, json: '"found"' });
});
