import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import packageJson from "../../package.json" with { type: "json" };
import {
  keptOnceMade,
  permissionsOf,
  plainId,
  resourceNamed,
  resourcesOf,
  type StackTemplate,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate();
const tables = resourcesOf(template, "AWS::DynamoDB::Table");
const secrets = resourcesOf(template, "AWS::SecretsManager::Secret");

describe("the tables", () => {
  test.each(tables)(
    "%s is encrypted, can be restored to any second and outlives the stack",
    (_, table) => {
      expect(table.Properties).toMatchObject({
        BillingMode: "PAY_PER_REQUEST",
        SSESpecification: { SSEEnabled: true },
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
      });
      expect(table).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
    },
  );

  test("hold callbacks by key and receipt, expiring", () => {
    const callbacks = resourceNamed(template, "RecordsCallbacks").Properties;
    expect(callbacks).toMatchObject({
      KeySchema: [
        { AttributeName: "callbackKey", KeyType: "HASH" },
        { AttributeName: "receipt", KeyType: "RANGE" },
      ],
      TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
    });
  });

  test("find callbacks by aggregate, by time and by attention, in indexes without what is large, secret or often changed", () => {
    const { GlobalSecondaryIndexes: indexes } = resourceNamed(
      template,
      "RecordsCallbacks",
    ).Properties;
    const summary = indexes.map(
      ({ IndexName, KeySchema }: { IndexName: string; KeySchema: { AttributeName: string }[] }) => [
        IndexName,
        ...KeySchema.map(({ AttributeName }) => AttributeName),
      ],
    );
    expect(summary).toEqual([
      ["by-aggregate", "group", "recordedAt"],
      ["by-time", "timeBucket", "recordedAt"],
      ["by-attention", "attentionShard", "attentionSince"],
    ]);
    const projections = indexes.map(({ Projection }: { Projection: object }) => Projection);
    const include = (...NonKeyAttributes: string[]) => ({
      ProjectionType: "INCLUDE",
      NonKeyAttributes,
    });
    expect(projections).toEqual([
      { ProjectionType: "KEYS_ONLY" },
      include("group", "sequence", "type", "merchantId", "keyVersion"),
      include(
        ...["attention", "merchantId", "type", "reason", "detail", "callbackId"],
        ...["group", "receivedAt", "keptUntil"],
      ),
    ]);
    expect(JSON.stringify(indexes)).not.toMatch(/"(message|event|pending|ALL)"/);
  });

  test("hold orders and payments by key, for good", () => {
    const orders = resourceNamed(template, "RecordsOrders").Properties;
    expect(orders.KeySchema).toEqual([{ AttributeName: "aggregateKey", KeyType: "HASH" }]);
    expect(orders).not.toHaveProperty("TimeToLiveSpecification");
  });

  test("find orders by their day and by their due time, in indexes that hold keys only", () => {
    const orders = resourceNamed(template, "RecordsOrders").Properties;
    const index = (IndexName: string, hash: string, range: string) => ({
      IndexName,
      KeySchema: [
        { AttributeName: hash, KeyType: "HASH" },
        { AttributeName: range, KeyType: "RANGE" },
      ],
      Projection: { ProjectionType: "KEYS_ONLY" },
    });
    expect(orders.GlobalSecondaryIndexes).toEqual([
      index("by-day", "dayShard", "dayPlace"),
      index("by-due", "dueShard", "dueAtMilliseconds"),
    ]);
    expect(orders.AttributeDefinitions).toContainEqual({
      AttributeName: "dueAtMilliseconds",
      AttributeType: "N",
    });
  });
});

describe("the secrets", () => {
  test("are two for each merchant", () => {
    expect(secrets.map(([id]) => plainId(id)).sort()).toEqual([
      "KeysCallbackKeysM1",
      "KeysCallbackKeysM2",
      "KeysRequestKeysM1",
      "KeysRequestKeysM2",
    ]);
  });

  test.each(secrets)(
    "%s begins without a value, so that unset keys cannot pass for wrong ones",
    (_, secret) => {
      expect(Object.keys(secret.Properties)).toEqual(["Description"]);
      expect(secret).toMatchObject(keptOnceMade);
    },
  );
});

describe("the audit log", () => {
  const audit = resourceNamed(template, "AuditLog");

  test("keeps what operators did for ten years, and outlives the stack", () => {
    expect(audit.Properties).toEqual({ RetentionInDays: 3653 });
    expect(audit).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
  });

  test.each(functionNames)("is closed to %s", (name) => {
    expect(permissionsOf(template, name).join("\n")).not.toContain("AuditLog");
  });
});

describe("the outputs", () => {
  const functionParts = { Function: "Function", LogGroup: "Logs", RoleArn: "Role" };
  const queueParts = {
    QueueUrl: "Queue",
    QueueArn: "Queue",
    DeadLettersUrl: "DeadLetters",
    DeadLettersArn: "DeadLetters",
  };
  /** The outputs of one function or subscriber, and the resources that they name. */
  const outputsOf = (output: string, id: string, parts: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(parts).map(([end, resource]) => [output + end, id + resource]),
    );

  test("name the addresses, the secrets, the queues, the functions with log and role, the dashboard and the version", () => {
    const values = Object.entries(template.Outputs).map(([key, { Value }]) => [key, spell(Value)]);
    expect(Object.fromEntries(values)).toEqual({
      CallbackUrl: "HttpApi/callbacks",
      ApiUrl: "HttpApi",
      InboxQueueUrl: "InboxMessagesQueue",
      InboxQueueArn: "InboxMessagesQueue",
      InboxDeadLettersUrl: "InboxMessagesDeadLetters",
      InboxDeadLettersArn: "InboxMessagesDeadLetters",
      CallbacksTable: "RecordsCallbacks",
      OrdersTable: "RecordsOrders",
      CallbackKeysM1: "KeysCallbackKeysM1",
      RequestKeysM1: "KeysRequestKeysM1",
      CallbackKeysM2: "KeysCallbackKeysM2",
      RequestKeysM2: "KeysRequestKeysM2",
      ...outputsOf("SubscriberFulfilment", "Subscribersfulfilment", queueParts),
      ...outputsOf("SubscriberAnalytics", "Subscribersanalytics", queueParts),
      ...outputsOf("ReceiveCallback", "IntakeReceiveCallback", functionParts),
      ...outputsOf("ProcessCallback", "ProcessingProcessCallback", functionParts),
      ...outputsOf("CountAttention", "AttentionCountAttention", functionParts),
      ...outputsOf("CreateOrder", "StorefrontCreateOrder", functionParts),
      ...outputsOf("QueryOrder", "StorefrontQueryOrder", functionParts),
      ...outputsOf("ReconcileOrders", "ReconciliationReconcileOrders", functionParts),
      ApiId: "HttpApi",
      ExecuteApiArn: "arn:AWS::Partition:execute-api:AWS::Region:AWS::AccountId:HttpApi",
      AccessLogGroup: "HttpAccessLog",
      AuditLogGroup: "AuditLog",
      DashboardUrl: expect.stringContaining("#dashboards/dashboard/Paycast-"),
      Version: packageJson.version,
    });
  });

  test("name every function that the stack has", () => {
    const names = ({ Outputs }: StackTemplate) =>
      Object.keys(Outputs).filter((key) => key.endsWith("Function"));
    const functions = resourcesOf(template, "AWS::Lambda::Function");
    expect(names(template)).toHaveLength(functions.length);
    const receivesOnly = synthesizeTemplate({ gateway: undefined });
    expect(names(receivesOnly).sort()).toEqual([
      "CountAttentionFunction",
      "ProcessCallbackFunction",
      "ReceiveCallbackFunction",
    ]);
  });

  test("stay below CloudFormation's limit of 200 in the largest config that fits", () => {
    const merchants = Array.from({ length: 20 }, (_, index) => `M${index}`);
    const subscribers = Array.from({ length: 13 }, (_, index) => {
      return { name: `s${index}`, types: ["*" as const] };
    });
    const { Outputs } = synthesizeTemplate({ merchants, subscribers, smoke: true });
    expect(Object.keys(Outputs).length).toBeLessThanOrEqual(200);
  });

  test("keep merchants apart whose ids differ in punctuation only", () => {
    const { Outputs } = synthesizeTemplate({ merchants: ["a-b", "a_b", "ab"] });
    const keys = Object.keys(Outputs).filter((key) => key.startsWith("CallbackKeys"));
    expect(new Set(keys).size).toBe(3);
    expect(keys).toContain("CallbackKeysab");
  });
});
