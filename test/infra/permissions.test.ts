import { describe, expect, test } from "vitest";
import { type FunctionName, functionNames } from "../../infra/config/function-names.ts";
import {
  permissionsOf,
  plainId,
  resourcesOf,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate();

const requestKeys = ["KeysRequestKeysM1", "KeysRequestKeysM2"].map(
  (secret) => `secretsmanager:GetSecretValue ${secret}`,
);
const ordersByKey = ["dynamodb:GetItem RecordsOrders", "dynamodb:PutItem RecordsOrders"];
const toInbox = "sqs:SendMessage InboxMessagesQueue";

describe("each function's role", () => {
  test.each<[name: FunctionName, does: string, logs: string, permissions: string[]]>([
    [
      "receive-callback",
      "read callback keys and write to the inbox",
      "IntakeReceiveCallbackLogs",
      [
        "secretsmanager:GetSecretValue KeysCallbackKeysM1",
        "secretsmanager:GetSecretValue KeysCallbackKeysM2",
        toInbox,
      ],
    ],
    [
      "process-callback",
      "write records, read the inbox and send to subscribers",
      "ProcessingProcessCallbackLogs",
      [
        "dynamodb:PutItem RecordsCallbacks",
        "dynamodb:UpdateItem RecordsCallbacks",
        ...ordersByKey,
        ...["ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility", "GetQueueAttributes"].map(
          (action) => `sqs:${action} InboxMessagesQueue`,
        ),
        "sqs:SendMessage InboxMessagesDeadLetters",
        "sqs:SendMessage SubscribersfulfilmentQueue",
        "sqs:SendMessage SubscribersanalyticsQueue",
      ],
    ],
    [
      "count-attention",
      "read the index of what needs a person",
      "AttentionCountAttentionLogs",
      ["dynamodb:Query RecordsCallbacks/index/by-attention"],
    ],
    [
      "create-order",
      "write orders and read request keys",
      "StorefrontCreateOrderLogs",
      [...ordersByKey, ...requestKeys],
    ],
    [
      "query-order",
      "read orders and request keys and write to the inbox",
      "StorefrontQueryOrderLogs",
      [...ordersByKey, ...requestKeys, toInbox],
    ],
    [
      "reconcile-orders",
      "find due orders, read request keys and write to the inbox",
      "ReconciliationReconcileOrdersLogs",
      [...ordersByKey, "dynamodb:Query RecordsOrders/index/by-due", ...requestKeys, toInbox],
    ],
  ])("lets %s %s, and no more", (name, _, logs, permissions) => {
    const onLogs = [`logs:CreateLogStream ${logs}`, `logs:PutLogEvents ${logs}`];
    const allowed = [...onLogs, ...permissions].map((permission) => `Allow ${permission}`);
    expect(permissionsOf(template, name)).toEqual(allowed.sort());
  });
});

describe("the stack's permissions as a whole", () => {
  test("gives every function a role of its own, without managed policies and without policies elsewhere", () => {
    const functions = resourcesOf(template, "AWS::Lambda::Function");
    const roles = functions.map(([, { Properties }]) => spell(Properties.Role));
    expect(new Set(roles).size).toBe(functions.length);
    expect(resourcesOf(template, "AWS::IAM::Role")).toHaveLength(functions.length);
    for (const [, role] of resourcesOf(template, "AWS::IAM::Role")) {
      expect(role.Properties).not.toHaveProperty("ManagedPolicyArns");
    }
    expect(resourcesOf(template, "AWS::IAM::Policy")).toEqual([]);
    expect(resourcesOf(template, "AWS::IAM::ManagedPolicy")).toEqual([]);
  });

  test("names no wildcard", () => {
    for (const name of functionNames) {
      expect(permissionsOf(template, name).filter((line) => line.includes("*"))).toEqual([]);
    }
  });

  test("lets no function send to a queue that is not the stack's", () => {
    const own = new Set(resourcesOf(template, "AWS::SQS::Queue").map(([id]) => plainId(id)));
    for (const name of functionNames) {
      const sends = permissionsOf(template, name).filter((line) => line.includes("SendMessage"));
      for (const line of sends) expect(own).toContain(line.split(" ")[2]);
    }
  });

  test("lets only Lambda take on a function's role", () => {
    for (const [, role] of resourcesOf(template, "AWS::IAM::Role")) {
      expect(role.Properties.AssumeRolePolicyDocument.Statement).toEqual([
        {
          Action: "sts:AssumeRole",
          Effect: "Allow",
          Principal: { Service: "lambda.amazonaws.com" },
        },
      ]);
    }
  });

  test("grants sending to the dead letters alone when there are no subscribers", () => {
    const alone = synthesizeTemplate({ subscribers: [] });
    const sends = permissionsOf(alone, "process-callback").filter((line) =>
      line.includes("sqs:SendMessage"),
    );
    expect(sends).toEqual(["Allow sqs:SendMessage InboxMessagesDeadLetters"]);
  });
});
