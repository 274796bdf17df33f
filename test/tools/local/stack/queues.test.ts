import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { beforeEach, describe, expect, test } from "vitest";
import { failedMessages } from "../../../../tools/local/stack/triggers/poll-queue.ts";
import { sqsClient } from "../aws/aws-clients.ts";
import { type Forwarded, forwarding, mapping } from "./forwarding.ts";
import { lambda, role, useStacks } from "./stack-fixture.ts";

const fixture = useStacks();
const client = () => sqsClient(fixture.emulators.sqs);
const patiently = { timeout: 30_000 };
let count = 0;

beforeEach(() => {
  count += 1;
});

const resources = (inbox: object, mappingProperties: object) => ({
  Role: role,
  // What was seen stays hidden, however long a test takes.
  Results: { Type: "AWS::SQS::Queue", Properties: { VisibilityTimeout: 43_200 } },
  DeadLetters: { Type: "AWS::SQS::Queue", Properties: { FifoQueue: true } },
  Inbox: {
    Type: "AWS::SQS::Queue",
    Properties: { FifoQueue: true, VisibilityTimeout: 1, SqsManagedSseEnabled: true, ...inbox },
    Metadata: { "aws:cdk:path": "Shop/Inbox/Queue/Resource" },
  },
  Fn: lambda("forward", {
    Environment: { Variables: { RESULTS_URL: { Ref: "Results" }, INBOX_URL: { Ref: "Inbox" } } },
  }),
  Mapping: mapping(mappingProperties),
});

async function startForwarding(inbox: object = {}, mappingProperties: object = {}) {
  fixture.write("forward", forwarding);
  const stackName = `${fixture.stackName}-${count}`;
  const stack = await fixture.start(resources(inbox, mappingProperties), { stackName });
  const find = (id: string) => stack.queues.find(({ logicalId }) => logicalId === id)!;
  const send = (MessageBody: string, MessageGroupId = "g") =>
    client().send(
      new SendMessageCommand({
        QueueUrl: find("Inbox").url,
        MessageBody,
        MessageGroupId,
        MessageDeduplicationId: String(Math.random()),
        MessageAttributes: { type: { DataType: "String", StringValue: "t" } },
      }),
    );
  const forwarded: Forwarded[] = [];
  const seen = async () => {
    const receive = { QueueUrl: find("Results").url, MaxNumberOfMessages: 10 };
    const { Messages = [] } = await client().send(new ReceiveMessageCommand(receive));
    forwarded.push(...Messages.map(({ Body }) => JSON.parse(Body!)));
    return forwarded.map(({ body }) => body).sort();
  };
  return { stack, find, send, seen, forwarded };
}

async function attributesOf(QueueUrl: string): Promise<Record<string, string>> {
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
  return (await client().send(command)).Attributes!;
}

async function messageCount(QueueUrl: string): Promise<number> {
  const attributes = await attributesOf(QueueUrl);
  const { ApproximateNumberOfMessages: ready, ApproximateNumberOfMessagesNotVisible: inFlight } =
    attributes;
  return Number(ready) + Number(inFlight);
}

describe("a queue that feeds a function", () => {
  test("gives records in Lambda's form, and deletes a message that is done", async () => {
    // Longer than a start of the function takes on a slow machine: the message comes once.
    const { find, send, seen, forwarded } = await startForwarding({ VisibilityTimeout: 600 });
    await send("one");
    await expect.poll(seen, patiently).toEqual(["one"]);
    expect(forwarded[0]).toMatchObject({
      body: "one",
      eventSource: "aws:sqs",
      eventSourceARN: find("Inbox").arn,
      awsRegion: "us-east-1",
      attributes: { MessageGroupId: "g", ApproximateReceiveCount: "1" },
      messageAttributes: { type: { stringValue: "t", dataType: "String" } },
    });
    await expect.poll(() => messageCount(find("Inbox").url)).toBe(0);
  });

  test("gives up to ten messages of one group in a batch, in their order", async () => {
    const { find, seen, forwarded } = await startForwarding({ VisibilityTimeout: 600 });
    const bodies = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    const Entries = bodies.map((Id) => ({
      Id,
      MessageBody: Id,
      MessageGroupId: "g",
      MessageDeduplicationId: Id,
    }));
    await client().send(new SendMessageBatchCommand({ QueueUrl: find("Inbox").url, Entries }));
    await expect.poll(seen, patiently).toEqual(bodies);
    expect(forwarded.map(({ batch }) => batch)).toEqual(bodies.map(() => 10));
    const sequences = forwarded.map(({ attributes }) => attributes["SequenceNumber"]!);
    expect(sequences.toSorted()).toEqual(sequences);
    expect(new Set(sequences.filter((number) => /^\d{20}$/.test(number))).size).toBe(10);
    await expect.poll(() => messageCount(find("Inbox").url)).toBe(0);
  });

  test("deletes only what did not fail; a failed message returns after its visibility timeout", async () => {
    const { find, send, seen, forwarded } = await startForwarding();
    await Promise.all([send("well", "a"), send("fail", "b")]);
    // On a slow machine a message may come again while the function starts.
    const receivesOf = (wanted: string) =>
      new Set(
        forwarded
          .filter(({ body }) => body === wanted)
          .map(({ attributes }) => attributes["ApproximateReceiveCount"]),
      );
    const isBack = async () => {
      await seen();
      return receivesOf("fail").size >= 2 && receivesOf("well").size >= 1;
    };
    await expect.poll(isBack, patiently).toBe(true);
    await expect.poll(() => messageCount(find("Inbox").url)).toBe(1);
  });

  test("leaves a failed message the visibility that the function gave it", async () => {
    const { send, seen, forwarded } = await startForwarding({ VisibilityTimeout: 600 });
    await send("fail soon");
    const timesSeen = async () => (await seen()).length;
    await expect.poll(timesSeen, patiently).toBeGreaterThanOrEqual(2);
    const [first, second] = forwarded.map(({ seenAt }) => seenAt).sort();
    expect(second! - first!).toBeGreaterThanOrEqual(1_900);
  });

  test("keeps all of a batch if the function throws, and goes on polling", async () => {
    const { find, send, seen } = await startForwarding({ VisibilityTimeout: 600 });
    await send("throw", "a");
    await expect.poll(seen, patiently).toEqual(["throw"]);
    await send("well", "b");
    await expect.poll(seen, patiently).toEqual(["throw", "well"]);
    await expect.poll(() => messageCount(find("Inbox").url)).toBe(1);
  });

  test("keeps what is sent after the stop", async () => {
    const { find, send, seen, stack } = await startForwarding();
    await stack.stop();
    await send("late");
    expect(await seen()).toEqual([]);
    expect(await messageCount(find("Inbox").url)).toBe(1);
  });
});

test.each([{ FunctionResponseTypes: [] }, { Enabled: true }])(
  "a mapping with %j is refused, because the stack has none",
  async (properties) => {
    await expect(startForwarding({}, properties)).rejects.toThrow(
      /Mapping.*cannot be created here/,
    );
  },
);

test("queues have their attributes, their dead letters and a name of their own", async () => {
  const deadLetterTargetArn = { "Fn::GetAtt": ["DeadLetters", "Arn"] };
  const RedrivePolicy = { deadLetterTargetArn, maxReceiveCount: 2 };
  const RedriveAllowPolicy = { redrivePermission: "denyAll" };
  const properties = { MessageRetentionPeriod: 1_209_600, RedrivePolicy, RedriveAllowPolicy };
  const { find } = await startForwarding(properties);
  const { arn, url, path, name, deadLettersArn } = find("Inbox");
  expect([path, name]).toEqual(["Shop/Inbox/Queue", `${fixture.stackName}-${count}-Inbox.fifo`]);
  expect(deadLettersArn).toBe(find("DeadLetters").arn);
  expect(await attributesOf(url)).toMatchObject({
    QueueArn: arn,
    FifoQueue: "true",
    VisibilityTimeout: "1",
    MessageRetentionPeriod: "1209600",
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLettersArn, maxReceiveCount: 2 }),
    RedriveAllowPolicy: JSON.stringify(RedriveAllowPolicy),
  });
});

describe("a partial response", () => {
  const messages = [{ MessageId: "a" }, { MessageId: "b" }];
  test.each([
    [{ batchItemFailures: [{ itemIdentifier: "b" }] }, ["b"]],
    [null, []],
    [{ batchItemFailures: [] }, []],
    ["text", ["a", "b"]],
    [{ batchItemFailures: [{ itemIdentifier: "" }] }, ["a", "b"]],
    [{ batchItemFailures: [{ itemIdentifier: "stranger" }] }, ["a", "b"]],
  ])("%j means that these failed: %j", (result, failed) => {
    const ids = failedMessages(messages, JSON.stringify(result)).map(({ MessageId }) => MessageId);
    expect(ids).toEqual(failed);
  });
});
