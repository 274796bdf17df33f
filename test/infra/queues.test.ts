import { describe, expect, test } from "vitest";
import type { ConfigInput } from "../../infra/config/config-schema.ts";
import { defaultMaxReceiveCount } from "../../shared/consumer/handle-batch.ts";
import {
  inboxVisibilityMilliseconds,
  longestRetryMilliseconds,
  processTimeoutMilliseconds,
} from "../../shared/timing.ts";
import {
  functionNamed,
  keptOnceMade,
  plainId,
  resourceNamed,
  resourcesOf,
  type StackTemplate,
  spell,
  synthesizeTemplate,
} from "./stack-template.ts";

const template = synthesizeTemplate();
const queues = resourcesOf(template, "AWS::SQS::Queue");
const fourteenDays = 14 * 24 * 3600;

function policyOf(stack: StackTemplate, queueId: string) {
  const policy = resourcesOf(stack, "AWS::SQS::QueuePolicy").find(([, { Properties }]) =>
    Properties.Queues.some((queue: unknown) => spell(queue) === queueId),
  );
  return policy?.[1].Properties.PolicyDocument.Statement;
}

describe("every queue", () => {
  test.each(queues)(
    "%s is encrypted, keeps messages for 14 days and outlives the stack",
    (_, queue) => {
      expect(queue.Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        MessageRetentionPeriod: fourteenDays,
      });
      expect(queue).toMatchObject(keptOnceMade);
      expect(queue.Properties).not.toHaveProperty("QueueName");
    },
  );

  test.each(resourcesOf(template, "AWS::SQS::QueuePolicy"))(
    "is kept with its policy (%s), so that its readers still get in",
    (_, policy) => expect(policy).toMatchObject(keptOnceMade),
  );

  test.each(queues)("%s has dead letters of its kind, or is one", (id, queue) => {
    if (plainId(id).endsWith("DeadLetters")) {
      expect(queue.Properties).not.toHaveProperty("RedrivePolicy");
      return;
    }
    const target = spell(queue.Properties.RedrivePolicy.deadLetterTargetArn);
    const deadLetters = resourceNamed(template, target);
    expect(target).toBe(plainId(id).replace(/Queue$/, "DeadLetters"));
    expect(deadLetters.Properties.FifoQueue).toBe(queue.Properties.FifoQueue);
  });

  test.each(queues)("%s refuses requests that are not encrypted on the way", (id) => {
    expect(policyOf(template, plainId(id))).toContainEqual(
      expect.objectContaining({
        Effect: "Deny",
        Action: "sqs:*",
        Principal: { AWS: "*" },
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      }),
    );
  });
});

describe("the inbox", () => {
  const inbox = resourceNamed(template, "InboxMessagesQueue").Properties;

  test("is a FIFO queue that counts and deduplicates by message group", () => {
    expect(inbox).toMatchObject({
      FifoQueue: true,
      ContentBasedDeduplication: false,
      DeduplicationScope: "messageGroup",
      FifoThroughputLimit: "perMessageGroupId",
    });
  });

  test("hides a message for six times the function's timeout", () => {
    const { Timeout } = functionNamed(template, "process-callback").Properties;
    expect(Timeout).toBe(processTimeoutMilliseconds / 1000);
    expect(inbox.VisibilityTimeout).toBe(inboxVisibilityMilliseconds / 1000);
    expect(inbox.VisibilityTimeout).toBe(6 * Timeout);
  });

  test("gives up on a message by itself only after half a day, at the pace of a message that is given back", () => {
    const receivesInHalfADay = (12 * 3_600_000) / longestRetryMilliseconds;
    expect(inbox.RedrivePolicy.maxReceiveCount).toBe(1000);
    expect(inbox.RedrivePolicy.maxReceiveCount).toBeGreaterThan(receivesInHalfADay);
  });

  test("feeds process-callback in batches that may fail in part", () => {
    const [, mapping] = resourcesOf(template, "AWS::Lambda::EventSourceMapping")[0]!;
    expect(spell(mapping.Properties.EventSourceArn)).toBe("InboxMessagesQueue");
    expect(spell(mapping.Properties.FunctionName)).toBe("ProcessingProcessCallbackFunction");
    expect(mapping.Properties).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 5 },
    });
  });

  test("is read as many times at once as the config says", () => {
    const stack = synthesizeTemplate({ concurrency: { inbox: 40 } });
    const [, mapping] = resourcesOf(stack, "AWS::Lambda::EventSourceMapping")[0]!;
    expect(mapping.Properties.ScalingConfig).toEqual({ MaximumConcurrency: 40 });
  });
});

describe("a subscriber", () => {
  test("gets an ordered queue unless it asks for another", () => {
    const { Properties: ordered } = resourceNamed(template, "SubscribersfulfilmentQueue");
    expect(ordered).toMatchObject({ FifoQueue: true, DeduplicationScope: "messageGroup" });
    const { Properties: unordered } = resourceNamed(template, "SubscribersanalyticsQueue");
    expect(unordered).not.toHaveProperty("FifoQueue");
  });

  test.each(["fulfilment", "analytics"])(
    "%s has three minutes for an event, and ten receives before it is a dead letter, as consumers count on",
    (name) => {
      const { Properties } = resourceNamed(template, `Subscribers${name}Queue`);
      expect(Properties.VisibilityTimeout).toBe(180);
      expect(Properties.RedrivePolicy.maxReceiveCount).toBe(10);
      expect(Properties.RedrivePolicy.maxReceiveCount).toBe(defaultMaxReceiveCount);
    },
  );

  test("is told to the functions by name, types, address and order", () => {
    const expected = [
      {
        name: "fulfilment",
        types: ["payment.order.success"],
        queueUrl: "SubscribersfulfilmentQueue",
        ordered: true,
      },
      { name: "analytics", types: ["*"], queueUrl: "SubscribersanalyticsQueue", ordered: false },
    ];
    const { Variables } = functionNamed(template, "process-callback").Properties.Environment;
    expect(JSON.parse(spell(Variables.SUBSCRIBERS))).toEqual(expected);
  });

  test("names its merchants to the functions only if the config does", () => {
    const subscribers: ConfigInput["subscribers"] = [
      { name: "crm", types: ["*"] },
      { name: "mail", types: ["*"], merchants: ["M2"] },
    ];
    const stack = synthesizeTemplate({ subscribers });
    const { Variables } = functionNamed(stack, "process-callback").Properties.Environment;
    const [crm, mail] = JSON.parse(spell(Variables.SUBSCRIBERS));
    expect(crm).not.toHaveProperty("merchants");
    expect(mail).toMatchObject({ name: "mail", merchants: ["M2"] });
  });

  test("lets other accounts read its queue and its dead letters, and do nothing else", () => {
    const readers = ["111111111111", "222222222222"];
    const shared = synthesizeTemplate({ subscribers: [{ name: "crm", types: ["*"], readers }] });
    for (const id of ["SubscriberscrmQueue", "SubscriberscrmDeadLetters"]) {
      const allowed = policyOf(shared, id).filter(
        ({ Effect }: { Effect: string }) => Effect === "Allow",
      );
      expect(allowed).toHaveLength(1);
      expect(allowed[0].Action.sort()).toEqual([
        "sqs:ChangeMessageVisibility",
        "sqs:DeleteMessage",
        "sqs:GetQueueAttributes",
        "sqs:GetQueueUrl",
        "sqs:ReceiveMessage",
      ]);
      expect(allowed[0].Principal.AWS.map(spell)).toEqual(
        readers.map((account) => `arn:AWS::Partition:iam::${account}:root`),
      );
      expect(spell(allowed[0].Resource)).toBe(id);
    }
  });

  test("lets nobody else in when it names no readers", () => {
    for (const [id] of queues) {
      const effects = policyOf(template, plainId(id)).map(
        ({ Effect }: { Effect: string }) => Effect,
      );
      expect(effects).toEqual(["Deny", "Deny"]);
    }
  });
});
