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

const template = synthesizeTemplate({ callbacks: { captureUntil: "2020-01-31" } });
const without = synthesizeTemplate();
const queueId = "IntakeCaptured";

describe("a stack that captures refused envelopes", () => {
  test("has one queue for them, for a day, encrypted, without dead letters, deleted with the stack", () => {
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

  test("lets receive-callback send to it, and no function more", () => {
    for (const name of functionNames) {
      const before = new Set(permissionsOf(without, name));
      const added = permissionsOf(template, name).filter((line) => !before.has(line));
      const expected = name === "receive-callback" ? [`Allow sqs:SendMessage ${queueId}`] : [];
      expect(added, name).toEqual(expected);
    }
  });

  test("tells receive-callback the queue and the end", () => {
    const { Variables } = functionNamed(template, "receive-callback").Properties.Environment;
    expect(spell(Variables.CAPTURED_QUEUE_URL)).toBe(queueId);
    expect(Variables.CAPTURE_UNTIL_MILLISECONDS).toBe(String(Date.parse("2020-02-01T00:00:00Z")));
  });

  test("names the queue among its outputs", () => {
    expect(spell(template.Outputs["CapturedQueueUrl"]?.Value)).toBe(queueId);
  });
});

describe("a stack that is not asked to", () => {
  test("has nothing of it", () => {
    expect(JSON.stringify(without)).not.toMatch(/captur/i);
  });
});
