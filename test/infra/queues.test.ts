import { describe, expect, it } from "vitest";
import {
  functionNamed,
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
  it.each(queues)(
    "%s is encrypted, keeps messages for 14 days and outlives the stack",
    (_, queue) => {
      expect(queue.Properties).toMatchObject({
        SqsManagedSseEnabled: true,
        MessageRetentionPeriod: fourteenDays,
      });
      expect(queue).toMatchObject({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" });
      expect(queue.Properties).not.toHaveProperty("QueueName");
    },
  );

  it.each(queues)("%s has dead letters of its kind, or is one", (id, queue) => {
    if (plainId(id).endsWith("DeadLetters")) {
      expect(queue.Properties).not.toHaveProperty("RedrivePolicy");
      return;
    }
    const target = spell(queue.Properties.RedrivePolicy.deadLetterTargetArn);
    const deadLetters = resourceNamed(template, target);
    expect(target).toBe(plainId(id).replace(/Queue$/, "DeadLetters"));
    expect(deadLetters.Properties.FifoQueue).toBe(queue.Properties.FifoQueue);
  });

  it.each(queues)("%s refuses requests that are not encrypted on the way", (id) => {
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

  it("is a FIFO queue that counts and deduplicates by message group", () => {
    expect(inbox).toMatchObject({
      FifoQueue: true,
      ContentBasedDeduplication: false,
      DeduplicationScope: "messageGroup",
      FifoThroughputLimit: "perMessageGroupId",
    });
  });

  it("hides a message for six times the function's timeout, and for less than the 5 minutes of deduplication", () => {
    const { Timeout } = functionNamed(template, "process-callback").Properties;
    expect(inbox.VisibilityTimeout).toBeGreaterThanOrEqual(6 * Timeout);
    expect(inbox.VisibilityTimeout).toBeLessThan(300);
  });

  it("gives up on a message by itself only after an outage of an hour, however fast it comes back", () => {
    const secondsBetweenReceives = 4;
    const receivesInAnHour = 3600 / secondsBetweenReceives;
    expect(inbox.RedrivePolicy.maxReceiveCount).toBeGreaterThan(receivesInAnHour);
    expect(inbox.RedrivePolicy.maxReceiveCount).toBeLessThanOrEqual(1000);
  });

  it("feeds process-callback in batches that may fail in part", () => {
    const [, mapping] = resourcesOf(template, "AWS::Lambda::EventSourceMapping")[0]!;
    expect(spell(mapping.Properties.EventSourceArn)).toBe("InboxMessagesQueue");
    expect(spell(mapping.Properties.FunctionName)).toBe("ProcessingProcessCallbackFunction");
    expect(mapping.Properties).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 50 },
    });
  });
});

describe("a subscriber", () => {
  it("gets an ordered queue unless it asks for another", () => {
    const { Properties: ordered } = resourceNamed(template, "SubscribersfulfilmentQueue");
    expect(ordered).toMatchObject({ FifoQueue: true, DeduplicationScope: "messageGroup" });
    const { Properties: unordered } = resourceNamed(template, "SubscribersanalyticsQueue");
    expect(unordered).not.toHaveProperty("FifoQueue");
  });

  it("gets no queue when it brings its own", () => {
    expect(queues.filter(([id]) => id.includes("ledger"))).toEqual([]);
  });

  it("is told to the functions by name, types, address and order", () => {
    const expected = [
      {
        name: "fulfilment",
        types: ["payment.order.success"],
        queueUrl: "SubscribersfulfilmentQueue",
        ordered: true,
      },
      { name: "analytics", types: ["*"], queueUrl: "SubscribersanalyticsQueue", ordered: false },
      {
        name: "ledger",
        types: ["payment.refund.*"],
        queueUrl: "https://sqs.eu-west-1.AWS::URLSuffix/210987654321/payments.fifo",
        ordered: true,
      },
    ];
    for (const name of ["process-callback", "deliver-pending"] as const) {
      const { SUBSCRIBERS } = functionNamed(template, name).Properties.Environment.Variables;
      expect(JSON.parse(spell(SUBSCRIBERS))).toEqual(expected);
    }
  });

  it("lets other accounts read its queue and its dead letters, and do nothing else", () => {
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

  it("lets nobody else in when it names no readers", () => {
    for (const [id] of queues) {
      const effects = policyOf(template, plainId(id)).map(
        ({ Effect }: { Effect: string }) => Effect,
      );
      expect(effects).toEqual(["Deny"]);
    }
  });
});
