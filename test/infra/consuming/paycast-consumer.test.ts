import { Duration, Stack, type StackProps, Token } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { type IFunction, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { describe, expect, test } from "vitest";
import { PaycastConsumer } from "../../../infra/consuming/paycast-consumer.ts";
import {
  importPaycastQueue,
  type PaycastConsumerProps,
} from "../../../infra/consuming/paycast-queue.ts";
import { messageOf } from "../../builders/thrown-by.ts";
import { resourcesOf, type StackTemplate } from "../stack-template.ts";
import { newApp, newFunction, newPaycast } from "./consumer-stack.ts";

type FunctionChanges = Parameters<typeof newFunction>[1];

/** An app with a Paycast, and another stack in which teams attach functions to its queues. */
function newLedger(stackProps: StackProps = {}, paycastProps: StackProps = {}) {
  const app = newApp();
  const paycast = newPaycast(app, {}, paycastProps);
  const stack = new Stack(app, "Ledger", stackProps);
  const consume = (
    consumer: IFunction,
    changes: Partial<PaycastConsumerProps> = {},
    { id = "Events", subscriber = "ledger" } = {},
  ) => {
    const queue = paycast.subscriberQueue(subscriber);
    return new PaycastConsumer(stack, id, { queue, function: consumer, ...changes });
  };
  return { app, paycast, stack, consume };
}

function attach(
  changes: Partial<PaycastConsumerProps> = {},
  functionProps: FunctionChanges = {},
  subscriber = "ledger",
): StackTemplate {
  const { app, stack, consume } = newLedger();
  consume(newFunction(stack, functionProps), changes, { subscriber });
  return app.synth().getStackByName("Ledger").template;
}

const refusalOf = (...args: Parameters<typeof attach>) => messageOf(() => attach(...args));
const mappingOf = (template: StackTemplate) =>
  resourcesOf(template, "AWS::Lambda::EventSourceMapping")[0]?.[1].Properties;
const policyOf = (template: StackTemplate) =>
  JSON.stringify(resourcesOf(template, "AWS::IAM::Policy").map(([, policy]) => policy.Properties));

describe("a consumer", () => {
  test("reads its queue in batches of ten that may fail in part, and may do no more with it", () => {
    const template = attach();
    expect(mappingOf(template)).toMatchObject({
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
    });
    expect(policyOf(template)).toContain("sqs:ReceiveMessage");
    expect(policyOf(template)).not.toContain("sqs:SendMessage");
    expect(policyOf(template)).not.toContain("kms:");
  });

  test("may be limited to some batches at once, also on an ordered queue", () => {
    const template = attach({ maxConcurrency: 2 });
    expect(mappingOf(template).ScalingConfig).toEqual({ MaximumConcurrency: 2 });
  });

  test("of a queue that is not ordered may wait for large batches", () => {
    const window = { maxBatchingWindow: Duration.seconds(60), batchSize: 10_000 };
    const template = attach(window, { timeout: Duration.seconds(20) }, "analytics");
    expect(mappingOf(template)).toMatchObject({
      BatchSize: 10_000,
      MaximumBatchingWindowInSeconds: 60,
    });
  });

  test("has the timeout of its function also behind an alias", () => {
    const { stack, consume } = newLedger();
    const slow = newFunction(stack, { timeout: Duration.seconds(31) });
    const alias = slow.addAlias("live") as IFunction;
    expect(messageOf(() => consume(alias))).toContain("six times its timeout of 31 seconds");
  });
});

describe("a consumer is refused", () => {
  test("if its timeout is longer than a sixth of the time for which the queue hides a message", () => {
    expect(refusalOf({}, { timeout: Duration.seconds(31) })).toBe(
      "Ledger/Events would lose or repeat messages:\n" +
        "  The queue hides a message for 180 seconds, and this function needs 186: six times its timeout of 31 seconds. " +
        "Shorten the timeout, or raise consumerTimeoutSeconds of the subscriber to 31.",
    );
    expect(refusalOf({}, { timeout: Duration.seconds(30) })).toBe("accepted");
  });

  test("if its timeout and its window together are too long", () => {
    const window = { maxBatchingWindow: Duration.seconds(7) };
    const functionProps = { timeout: Duration.seconds(29) };
    expect(refusalOf(window, functionProps, "analytics")).toContain(
      "this function needs 181: six times its timeout of 29 seconds and the window of 7.",
    );
  });

  const wholeNumber = "batchSize must be a whole number from 1 to 10";
  const fromTwo = "maxConcurrency must be a whole number from 2 to 1000.";
  const noWindow = "maxBatchingWindow must not be given: Lambda does not wait on an ordered queue.";
  const second = { maxBatchingWindow: Duration.seconds(1) };
  const sixMinutes = { maxBatchingWindow: Duration.minutes(6) };
  test.each<[string, string, Partial<PaycastConsumerProps>, string]>([
    ["ledger", "a batch of none", { batchSize: 0 }, `${wholeNumber} on an ordered queue.`],
    ["ledger", "a batch of eleven", { batchSize: 11 }, `${wholeNumber} on an ordered queue.`],
    ["analytics", "eleven at once", { batchSize: 11 }, `${wholeNumber} without maxBatchingWindow.`],
    ["analytics", "half a message", { batchSize: 1.5 }, "batchSize must be a whole number"],
    ["ledger", "a window on an ordered queue", second, noWindow],
    ["analytics", "six minutes", sixMinutes, "maxBatchingWindow must be at most 5 minutes."],
    ["ledger", "one batch at once", { maxConcurrency: 1 }, fromTwo],
    ["ledger", "too many batches at once", { maxConcurrency: 1001 }, fromTwo],
  ])("on the queue of %s for %s", (subscriber, _case, changes, line) => {
    expect(refusalOf(changes, {}, subscriber)).toContain(`\n  ${line}`);
  });

  test("if more batches come at once than its function has reserved instances, or no limit is named", () => {
    const reserved = { reservedConcurrentExecutions: 4 };
    expect(refusalOf({ maxConcurrency: 5 }, reserved)).toContain(
      "maxConcurrency must be at most 4",
    );
    expect(refusalOf({}, reserved)).toContain("maxConcurrency must be given, and at most 4");
    expect(refusalOf({ maxConcurrency: 4 }, reserved)).toBe("accepted");
    expect(refusalOf({ maxConcurrency: 2 }, { reservedConcurrentExecutions: 1 })).toContain(
      "The function must reserve 2 instances or more, or none",
    );
  });

  test("if all consumers of its function together have more batches at once than the function reserves", () => {
    const { stack, consume } = newLedger();
    const both = newFunction(stack, { reservedConcurrentExecutions: 5 });
    const consumeThree = (subscriber: string) =>
      messageOf(() => consume(both, { maxConcurrency: 3 }, { id: subscriber, subscriber }));
    expect(consumeThree("ledger")).toBe("accepted");
    expect(consumeThree("analytics")).toContain(
      "\n  maxConcurrency must be at most 2: the function reserves 5, and its other consumers use 3.",
    );
  });

  test("if another one reads the queue already", () => {
    const { stack, consume } = newLedger();
    consume(newFunction(stack, {}, "F1"), {}, { id: "One" });
    const another = newFunction(stack, {}, "F2");
    expect(messageOf(() => consume(another, {}, { id: "Two" }))).toContain(
      "\n  Ledger/One/Events reads this queue already, and each event reaches only one of two readers.",
    );
  });

  test("if anything else in the app reads the queue, added before or after it", () => {
    const { app, paycast, stack, consume } = newLedger();
    const attachPlain = (id: string, subscriber: string) => {
      const { queue } = paycast.subscriberQueue(subscriber);
      newFunction(stack, {}, id).addEventSource(new SqsEventSource(queue));
    };
    attachPlain("Before", "ledger");
    const late = newFunction(stack, {}, "Late");
    expect(messageOf(() => consume(late))).toMatch(/Ledger\/Before\/.* reads this queue/);
    const subscriber = "analytics";
    consume(newFunction(stack, {}, "Early"), {}, { id: "EarlyEvents", subscriber });
    attachPlain("After", "analytics");
    expect(messageOf(() => app.synth())).toMatch(/Ledger\/After\/.* reads this queue already/);
  });

  test("if its timeout is too long, whatever functionTimeout says", () => {
    const told = { functionTimeout: Duration.seconds(5) };
    expect(refusalOf(told, { timeout: Duration.seconds(600) })).toContain("timeout of 600 seconds");
    const later = Duration.seconds(Token.asNumber({ Ref: "Timeout" }));
    expect(refusalOf(told, { timeout: later })).toBe("accepted");
    expect(refusalOf({}, { timeout: later })).toContain("functionTimeout must be given");
  });

  test("if its function is imported, and neither timeout nor permissions are known", () => {
    const { stack, consume } = newLedger();
    const arn = "arn:aws:lambda:eu-west-1:123456789012:function:book";
    const imported = LambdaFunction.fromFunctionArn(stack, "Book", arn);
    const lines = messageOf(() => consume(imported));
    expect(lines).toContain("\n  functionTimeout must be given");
    expect(lines).toContain("\n  The function's role cannot be changed here.");
    const told = { functionTimeout: Duration.seconds(9), permissionsGrantedElsewhere: true };
    expect(messageOf(() => consume(imported, told, { id: "Told" }))).toBe("accepted");
  });

  test("if its role is closed to changes, with the permissions that it needs on queue and key", () => {
    const app = newApp();
    const stack = new Stack(app, "Ledger");
    const role = new Role(stack, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    });
    const closed = newFunction(stack, { role: role.withoutPolicyUpdates() });
    const keyArn = "arn:aws:kms:eu-west-1:123456789012:key/k-1";
    const queueArn = "arn:aws:sqs:eu-west-1:123456789012:ledger.fifo";
    const queue = importPaycastQueue(stack, "Queue", { queueArn, encryptionKeyArn: keyArn });
    const attached = () => new PaycastConsumer(stack, "Events", { queue, function: closed });
    expect(messageOf(attached)).toContain(
      `sqs:GetQueueAttributes on ${queueArn}, and kms:Decrypt on ${keyArn}, then set permissionsGrantedElsewhere.`,
    );
  });

  test("if the queue is in another region, or in another account and not named by its ARN", () => {
    const elsewhere = { account: "210987654321", region: "eu-north-1" };
    const env = { account: "123456789012", region: "eu-west-1" };
    const { app, paycast, stack, consume } = newLedger({ env: elsewhere }, { env });
    const far = newFunction(stack);
    const refusal = messageOf(() => consume(far));
    expect(refusal).toContain("\n  The queue is in eu-west-1, and Lambda reads only");
    const near = new Stack(app, "Near", { env: { ...elsewhere, region: "eu-west-1" } });
    const queue = paycast.subscriberQueue("ledger");
    const beside = () =>
      new PaycastConsumer(near, "Events", { queue, function: newFunction(near) });
    expect(messageOf(beside)).toContain("\n  The queue is in another account. List this account");
  });
});

describe("a queue of another app", () => {
  const queueArn = "arn:aws:sqs:eu-west-1:123456789012:Payments-Ledger.fifo";

  function attachForeign(attributes: object, functionProps: FunctionChanges = {}): StackTemplate {
    const app = newApp();
    const env = { account: "210987654321", region: "eu-west-1" };
    const stack = new Stack(app, "Ledger", { env });
    const queue = importPaycastQueue(stack, "Queue", { queueArn, ...attributes });
    new PaycastConsumer(stack, "Events", { queue, function: newFunction(stack, functionProps) });
    return app.synth().getStackByName("Ledger").template;
  }

  test("is read by its ARN, and the function may decrypt what is in it", () => {
    const encryptionKeyArn = "arn:aws:kms:eu-west-1:123456789012:key/k-1";
    const template = attachForeign({ encryptionKeyArn });
    expect(mappingOf(template).EventSourceArn).toBe(queueArn);
    expect(policyOf(template)).toMatch(/kms:Decrypt.*key\/k-1/);
    expect(policyOf(template)).toContain("sqs:ReceiveMessage");
  });

  test("is taken to hide messages for as long as every subscriber's queue does", () => {
    const minute = { timeout: Duration.seconds(60) };
    expect(messageOf(() => attachForeign({}, minute))).toContain("raise consumerTimeoutSeconds");
    expect(messageOf(() => attachForeign({ consumerTimeoutSeconds: 60 }, minute))).toBe("accepted");
  });

  test.each([29, 31.5, 901, Number.NaN, Number.POSITIVE_INFINITY, Token.asNumber({ Ref: "T" })])(
    "cannot have a consumer timeout of %s, which no subscriber has",
    (consumerTimeoutSeconds) => {
      expect(messageOf(() => attachForeign({ consumerTimeoutSeconds }))).toMatch(
        /^consumerTimeoutSeconds must be a whole number from 30 to 900/,
      );
    },
  );

  test("is not named with an alias of its key, because a permission on an alias has no effect", () => {
    const encryptionKeyArn = "arn:aws:kms:eu-west-1:123456789012:alias/payments";
    expect(messageOf(() => attachForeign({ encryptionKeyArn }))).toBe(
      "encryptionKeyArn must be the ARN of a KMS key, not of an alias",
    );
  });

  test("whose ARN is not known yet must say whether it is ordered", () => {
    const app = newApp();
    const stack = new Stack(app, "Ledger");
    const token = new Key(stack, "AnyToken").keyArn;
    const imported = () => importPaycastQueue(stack, "Queue", { queueArn: token });
    expect(messageOf(imported)).toContain("ordered must be given");
    expect(importPaycastQueue(stack, "Told", { queueArn: token, ordered: true }).ordered).toBe(
      true,
    );
  });
});
