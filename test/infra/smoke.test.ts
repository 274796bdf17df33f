import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import {
  functionNamed,
  permissionsOf,
  plainId,
  resourceNamed,
  resourcesOf,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate({ smoke: true });
const without = synthesizeTemplate();
const queueId = "Subscriberspaycastsmoke";
const secretId = "KeysCallbackKeyspaycastsmoke";

const variable = (name: Parameters<typeof functionNamed>[1], key: string) =>
  JSON.parse(spell(functionNamed(template, name).Properties.Environment.Variables[key]));

describe("a stack with smoke tests", () => {
  test("has one secret more, without a value, that goes with the stack", () => {
    const idsOf = (stack: typeof template) =>
      resourcesOf(stack, "AWS::SecretsManager::Secret").map(([id]) => plainId(id));
    expect(idsOf(template).sort()).toEqual([...idsOf(without), secretId].sort());
    const secret = resourceNamed(template, secretId);
    expect(Object.keys(secret.Properties)).toEqual(["Description"]);
    expect(secret.DeletionPolicy).toBe("Delete");
  });

  test("has one ordered queue more, without dead letters, that goes with the stack", () => {
    const idsOf = (stack: typeof template) =>
      resourcesOf(stack, "AWS::SQS::Queue").map(([id]) => plainId(id));
    expect(idsOf(template).sort()).toEqual([...idsOf(without), queueId].sort());
    const queue = resourceNamed(template, queueId);
    expect(queue.Properties).toEqual({
      FifoQueue: true,
      ContentBasedDeduplication: false,
      DeduplicationScope: "messageGroup",
      FifoThroughputLimit: "perMessageGroupId",
      MessageRetentionPeriod: 24 * 3600,
      SqsManagedSseEnabled: true,
    });
    expect(queue.DeletionPolicy).toBe("Delete");
  });

  test("delivers all types of this merchant, and only of this one, to that queue", () => {
    const subscribers = variable("process-callback", "SUBSCRIBERS");
    expect(subscribers.at(-1)).toEqual({
      name: "paycast-smoke",
      types: ["*"],
      merchants: ["paycast-smoke"],
      queueUrl: queueId,
      ordered: true,
    });
    expect(subscribers).toHaveLength(3);
  });

  test("lets receive-callback read that secret and process-callback send to that queue, and nothing else", () => {
    const added = functionNames.map((name) => {
      const before = new Set(permissionsOf(without, name));
      return [name, permissionsOf(template, name).filter((line) => !before.has(line))];
    });
    expect(Object.fromEntries(added)).toMatchObject({
      "receive-callback": [`Allow secretsmanager:GetSecretValue ${secretId}`],
      "process-callback": [`Allow sqs:SendMessage ${queueId}`],
      "create-order": [],
      "query-order": [],
      "reconcile-orders": [],
    });
  });

  test("tells the merchant to receive-callback, and not to the storefront", () => {
    expect(variable("receive-callback", "CALLBACK_KEYS")).toHaveProperty("paycast-smoke", secretId);
    expect(variable("create-order", "REQUEST_KEYS")).not.toHaveProperty("paycast-smoke");
    expect(variable("query-order", "REQUEST_KEYS")).not.toHaveProperty("paycast-smoke");
    expect(variable("reconcile-orders", "REQUEST_KEYS")).not.toHaveProperty("paycast-smoke");
  });

  test("has no alarm for them", () => {
    const idsOf = (stack: typeof template) =>
      resourcesOf(stack, "AWS::CloudWatch::Alarm").map(([id]) => plainId(id));
    expect(idsOf(template)).toEqual(idsOf(without));
    expect(JSON.stringify(resourcesOf(template, "AWS::CloudWatch::Alarm"))).not.toMatch(/smoke/i);
  });

  test("names the queue and the secret among its outputs, and only then", () => {
    const added = Object.entries(template.Outputs).filter(([key]) => !(key in without.Outputs));
    expect(added.map(([key, { Value }]) => [key, spell(Value)]).sort()).toEqual([
      ["SmokeCallbackKeys", secretId],
      ["SmokeQueueUrl", queueId],
    ]);
  });
});
