import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Emulators, startEmulators } from "../../local/aws/start-emulators.ts";
import { sqsClient } from "./aws-clients.ts";
import { type Forwarded, forwarding, mapping } from "./forwarding.ts";
import { lambda, role, StackFixture } from "./stack-fixture.ts";

let emulators: Emulators;
let client: ReturnType<typeof sqsClient>;
let fixture: StackFixture;
let count = 0;

beforeAll(async () => {
  emulators = await startEmulators();
  client = sqsClient(emulators.sqs);
});
afterAll(async () => {
  client.destroy();
  await emulators.stop();
});
beforeEach(() => {
  fixture = new StackFixture();
  count += 1;
});
afterEach(() => fixture.stop());

async function startForwarding(inbox: object = {}, mappingProperties: object = {}) {
  fixture.write("forward", forwarding);
  const stack = await fixture.start(
    emulators,
    {
      Role: role,
      Results: { Type: "AWS::SQS::Queue" },
      DeadLetters: { Type: "AWS::SQS::Queue", Properties: { FifoQueue: true } },
      Inbox: {
        Type: "AWS::SQS::Queue",
        Properties: { FifoQueue: true, VisibilityTimeout: 1, SqsManagedSseEnabled: true, ...inbox },
        Metadata: { "aws:cdk:path": "Shop/Inbox/Queue/Resource" },
      },
      Fn: lambda("forward", {
        Environment: {
          Variables: { RESULTS_URL: { Ref: "Results" }, INBOX_URL: { Ref: "Inbox" } },
        },
      }),
      Mapping: mapping(mappingProperties),
    },
    { stackName: `Queues${count}` },
  );
  const find = (id: string) => stack.queues.find(({ logicalId }) => logicalId === id)!;
  const send = (body: string, group = "g") =>
    client.send(
      new SendMessageCommand({
        QueueUrl: find("Inbox").url,
        MessageBody: body,
        MessageGroupId: group,
        MessageDeduplicationId: `${body}-${group}-${Math.random()}`,
        MessageAttributes: { type: { DataType: "String", StringValue: "t" } },
      }),
    );
  const forwarded: Forwarded[] = [];
  const seen = async () => {
    const QueueUrl = find("Results").url;
    const received = await client.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
    );
    forwarded.push(...(received.Messages ?? []).map(({ Body }) => JSON.parse(Body!)));
    return forwarded.map(({ body }) => body).sort();
  };
  return { stack, find, send, seen, forwarded };
}

async function messageCount(QueueUrl: string) {
  const AttributeNames = ["All" as const];
  const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames });
  const { Attributes } = await client.send(command);
  const { ApproximateNumberOfMessages: ready, ApproximateNumberOfMessagesNotVisible: inFlight } =
    Attributes!;
  return Number(ready) + Number(inFlight);
}

describe("a queue that feeds a function", () => {
  test("hands over records as Lambda shapes them, and what is done is deleted", async () => {
    const { find, send, seen, forwarded } = await startForwarding();
    await send("one");
    await expect.poll(seen, { timeout: 5_000 }).toEqual(["one"]);
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

  test("deletes only what did not fail; the rest comes back after its visibility timeout", async () => {
    const { find, send, seen, forwarded } = await startForwarding();
    await Promise.all([send("well", "a"), send("fail", "b")]);
    await expect.poll(seen, { timeout: 5_000 }).toEqual(["fail", "fail", "well"]);
    const receives = forwarded.map(({ attributes }) => attributes["ApproximateReceiveCount"]);
    expect(receives.sort()).toEqual(["1", "1", "2"]);
    await expect.poll(() => messageCount(find("Inbox").url)).toBe(1);
  });

  test("leaves a failed message the visibility that the function gave it", async () => {
    const { send, seen, forwarded } = await startForwarding({ VisibilityTimeout: 600 });
    await send("fail soon");
    const timesSeen = async () => (await seen()).length;
    await expect.poll(timesSeen, { timeout: 10_000 }).toBeGreaterThanOrEqual(2);
    const [first, second] = forwarded.map(({ seenAt }) => seenAt).sort();
    expect(second! - first!).toBeGreaterThanOrEqual(1_900);
  });

  test("holds back a group behind its failed message, and no other group", async () => {
    const { send, seen } = await startForwarding({ VisibilityTimeout: 600 });
    await send("fail first", "a");
    await send("second", "a");
    await send("other", "b");
    await expect.poll(seen, { timeout: 5_000 }).toEqual(["fail first", "other"]);
    await send("later", "b");
    await expect.poll(seen, { timeout: 5_000 }).toEqual(["fail first", "later", "other"]);
  });

  test("moves what fails too often to its dead letters", async () => {
    const { find, send, seen } = await startForwarding({
      RedrivePolicy: {
        deadLetterTargetArn: { "Fn::GetAtt": ["DeadLetters", "Arn"] },
        maxReceiveCount: 2,
      },
    });
    expect(find("Inbox").deadLettersArn).toBe(find("DeadLetters").arn);
    await send("fail");
    await expect.poll(() => messageCount(find("DeadLetters").url), { timeout: 8_000 }).toBe(1);
    expect(await seen()).toEqual(["fail", "fail"]);
  });

  test("leaves all of a batch when the function throws, and goes on polling", async () => {
    const { find, send, seen } = await startForwarding({ VisibilityTimeout: 600 });
    await send("throw", "a");
    await expect.poll(seen, { timeout: 5_000 }).toEqual(["throw"]);
    await send("well", "b");
    await expect.poll(seen, { timeout: 5_000 }).toEqual(["throw", "well"]);
    await expect.poll(() => messageCount(find("Inbox").url)).toBe(1);
  });

  test("deletes all of a batch when partial responses are not asked for", async () => {
    const { find, send, seen } = await startForwarding({}, { FunctionResponseTypes: [] });
    await send("fail");
    await expect.poll(seen, { timeout: 5_000 }).toEqual(["fail"]);
    await expect.poll(() => messageCount(find("Inbox").url)).toBe(0);
  });

  test("is left alone when the mapping is disabled", async () => {
    const { find, send, stack } = await startForwarding({}, { Enabled: false });
    await send("one");
    await stack.stop();
    expect(await messageCount(find("Inbox").url)).toBe(1);
  });

  test("keeps what is sent after the stop", async () => {
    const { find, send, seen, stack } = await startForwarding();
    await stack.stop();
    await send("late");
    expect(await seen()).toEqual([]);
    expect(await messageCount(find("Inbox").url)).toBe(1);
  });
});

test("queues have their attributes, and names that tell them apart", async () => {
  const { find } = await startForwarding({
    ContentBasedDeduplication: false,
    DeduplicationScope: "messageGroup",
    FifoThroughputLimit: "perMessageGroupId",
    MessageRetentionPeriod: 1_209_600,
    VisibilityTimeout: 280,
  });
  const inbox = find("Inbox");
  expect(inbox).toMatchObject({ path: "Shop/Inbox/Queue", name: `Queues${count}-Inbox.fifo` });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: inbox.url, AttributeNames: ["All"] }),
  );
  expect(Attributes).toMatchObject({
    QueueArn: inbox.arn,
    FifoQueue: "true",
    ContentBasedDeduplication: "false",
    DeduplicationScope: "messageGroup",
    FifoThroughputLimit: "perMessageGroupId",
    MessageRetentionPeriod: "1209600",
    VisibilityTimeout: "280",
  });
});
