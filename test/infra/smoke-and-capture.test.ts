import { describe, expect, test } from "vitest";
import { functionNames } from "../../infra/config/function-names.ts";
import {
  functionNamed,
  permissionsOf,
  plainId,
  resourceNamed,
  resourcesOf,
  type StackTemplate,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const without = synthesizeTemplate();

/** The resources of a type that only the stack with the option has. */
function added(stack: StackTemplate, type: string): string[] {
  const idsOf = (one: StackTemplate) => resourcesOf(one, type).map(([id]) => plainId(id));
  const before = idsOf(without);
  expect(idsOf(stack)).toEqual(expect.arrayContaining(before));
  return idsOf(stack).filter((id) => !before.includes(id));
}

/** By function, what only the stack with the option permits. */
function newPermissions(stack: StackTemplate): Record<string, string[]> {
  const lines = functionNames.map((name) => {
    const before = new Set(permissionsOf(without, name));
    return [name, permissionsOf(stack, name).filter((line) => !before.has(line))];
  });
  return Object.fromEntries(lines);
}

const noNewPermissions = Object.fromEntries(functionNames.map((name) => [name, []]));

test.each<[string, Parameters<typeof synthesizeTemplate>[0], queueId: string]>([
  ["smoke tests", { smoke: true }, "Subscriberspaycastsmoke"],
  ["captured envelopes", { callbacks: { captureUntil: "2020-01-31" } }, "IntakeCaptured"],
])(
  "%s have one ordered queue for a day, encrypted, without dead letters, deleted with the stack",
  (_, option, queueId) => {
    const stack = synthesizeTemplate(option);
    expect(added(stack, "AWS::SQS::Queue")).toEqual([queueId]);
    const queue = resourceNamed(stack, queueId);
    expect(queue.Properties).toEqual({
      FifoQueue: true,
      ContentBasedDeduplication: false,
      DeduplicationScope: "messageGroup",
      FifoThroughputLimit: "perMessageGroupId",
      MessageRetentionPeriod: 24 * 3600,
      SqsManagedSseEnabled: true,
    });
    expect(queue.DeletionPolicy).toBe("Delete");
  },
);

describe("a stack with smoke tests", () => {
  const template = synthesizeTemplate({ smoke: true });
  const queueId = "Subscriberspaycastsmoke";
  const secretId = "KeysCallbackKeyspaycastsmoke";
  const variable = (name: Parameters<typeof functionNamed>[1], key: string) =>
    JSON.parse(spell(functionNamed(template, name).Properties.Environment.Variables[key]));

  test("has one secret more, without a value, that goes with the stack", () => {
    expect(added(template, "AWS::SecretsManager::Secret")).toEqual([secretId]);
    const secret = resourceNamed(template, secretId);
    expect(Object.keys(secret.Properties)).toEqual(["Description"]);
    expect(secret.DeletionPolicy).toBe("Delete");
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
    expect(newPermissions(template)).toEqual({
      ...noNewPermissions,
      "receive-callback": [`Allow secretsmanager:GetSecretValue ${secretId}`],
      "process-callback": [`Allow sqs:SendMessage ${queueId}`],
    });
  });

  test("tells the merchant to receive-callback, and not to the storefront", () => {
    expect(variable("receive-callback", "CALLBACK_KEYS")).toHaveProperty("paycast-smoke", secretId);
    for (const name of ["create-order", "query-order", "reconcile-orders"] as const) {
      expect(variable(name, "REQUEST_KEYS"), name).not.toHaveProperty("paycast-smoke");
    }
  });

  test("has no alarm for them", () => {
    expect(added(template, "AWS::CloudWatch::Alarm")).toEqual([]);
    expect(JSON.stringify(resourcesOf(template, "AWS::CloudWatch::Alarm"))).not.toMatch(/smoke/i);
  });

  test("names the queue and the secret among its outputs, and only then", () => {
    const outputs = Object.entries(template.Outputs).filter(([key]) => !(key in without.Outputs));
    expect(outputs.map(([key, { Value }]) => [key, spell(Value)]).sort()).toEqual([
      ["SmokeCallbackKeys", secretId],
      ["SmokeQueueUrl", queueId],
    ]);
  });
});

describe("a stack that captures refused envelopes", () => {
  const template = synthesizeTemplate({ callbacks: { captureUntil: "2020-01-31" } });
  const queueId = "IntakeCaptured";

  test("lets receive-callback send to its queue, and no function more", () => {
    expect(newPermissions(template)).toEqual({
      ...noNewPermissions,
      "receive-callback": [`Allow sqs:SendMessage ${queueId}`],
    });
  });

  test("tells receive-callback the queue and the end", () => {
    const { Variables } = functionNamed(template, "receive-callback").Properties.Environment;
    expect(spell(Variables.CAPTURED_QUEUE_URL)).toBe(queueId);
    expect(Variables.CAPTURE_UNTIL_MILLISECONDS).toBe(String(Date.parse("2020-02-01T00:00:00Z")));
  });

  test("names the queue among its outputs, and has nothing of it by default", () => {
    expect(spell(template.Outputs["CapturedQueueUrl"]?.Value)).toBe(queueId);
    expect(JSON.stringify(without)).not.toMatch(/captur/i);
  });
});
