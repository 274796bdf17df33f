import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import {
  permissionsOf,
  plainId,
  resourcesOf,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate();

function withOwnLogs(logs: string, permissions: string[]): string[] {
  return [
    `Allow logs:CreateLogStream ${logs}`,
    `Allow logs:PutLogEvents ${logs}`,
    ...permissions,
  ].sort();
}

const subscriberQueues = ["SubscribersfulfilmentQueue", "SubscribersanalyticsQueue"];

describe("each function's role", () => {
  test("lets receive-callback read callback keys and write to the inbox, and no more", () => {
    expect(permissionsOf(template, "receive-callback")).toEqual(
      withOwnLogs("IntakeReceiveCallbackLogs", [
        "Allow secretsmanager:GetSecretValue KeysCallbackKeysM1",
        "Allow secretsmanager:GetSecretValue KeysCallbackKeysM2",
        "Allow sqs:SendMessage InboxMessagesQueue",
      ]),
    );
  });

  test("lets process-callback write records, read the inbox and send to subscribers, and no more", () => {
    const onInbox = ["ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility"];
    expect(permissionsOf(template, "process-callback")).toEqual(
      withOwnLogs("ProcessingProcessCallbackLogs", [
        "Allow dynamodb:PutItem RecordsCallbacks",
        "Allow dynamodb:UpdateItem RecordsCallbacks",
        "Allow dynamodb:GetItem RecordsOrders",
        "Allow dynamodb:PutItem RecordsOrders",
        ...onInbox.map((action) => `Allow sqs:${action} InboxMessagesQueue`),
        "Allow sqs:GetQueueAttributes InboxMessagesQueue",
        "Allow sqs:SendMessage InboxMessagesDeadLetters",
        ...subscriberQueues.map((queue) => `Allow sqs:SendMessage ${queue}`),
      ]),
    );
  });

  test("lets count-attention read the index of what needs a person, and no more", () => {
    expect(permissionsOf(template, "count-attention")).toEqual(
      withOwnLogs("AttentionCountAttentionLogs", [
        "Allow dynamodb:Query RecordsCallbacks/index/by-attention",
      ]),
    );
  });

  test("lets create-order write orders and read request keys, and no more", () => {
    expect(permissionsOf(template, "create-order")).toEqual(
      withOwnLogs("StorefrontCreateOrderLogs", [
        "Allow dynamodb:GetItem RecordsOrders",
        "Allow dynamodb:PutItem RecordsOrders",
        "Allow secretsmanager:GetSecretValue KeysRequestKeysM1",
        "Allow secretsmanager:GetSecretValue KeysRequestKeysM2",
      ]),
    );
  });

  test("lets query-order read orders and request keys and write to the inbox, and no more", () => {
    expect(permissionsOf(template, "query-order")).toEqual(
      withOwnLogs("StorefrontQueryOrderLogs", [
        "Allow dynamodb:GetItem RecordsOrders",
        "Allow dynamodb:PutItem RecordsOrders",
        "Allow secretsmanager:GetSecretValue KeysRequestKeysM1",
        "Allow secretsmanager:GetSecretValue KeysRequestKeysM2",
        "Allow sqs:SendMessage InboxMessagesQueue",
      ]),
    );
  });

  test("lets reconcile-orders find due orders, read request keys and write to the inbox, and no more", () => {
    expect(permissionsOf(template, "reconcile-orders")).toEqual(
      withOwnLogs("ReconciliationReconcileOrdersLogs", [
        "Allow dynamodb:GetItem RecordsOrders",
        "Allow dynamodb:PutItem RecordsOrders",
        "Allow dynamodb:Query RecordsOrders/index/by-due",
        "Allow secretsmanager:GetSecretValue KeysRequestKeysM1",
        "Allow secretsmanager:GetSecretValue KeysRequestKeysM2",
        "Allow sqs:SendMessage InboxMessagesQueue",
      ]),
    );
  });

  test("keeps tables and request keys from receive-callback, and every secret from process-callback", () => {
    const receive = permissionsOf(template, "receive-callback").join("\n");
    expect(receive).not.toMatch(/dynamodb:|RequestKeys/);
    const process = permissionsOf(template, "process-callback").join("\n");
    expect(process).not.toMatch(/secretsmanager:/);
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
