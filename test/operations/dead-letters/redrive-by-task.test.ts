import { hash } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenOnLoopback } from "../../../local/aws/listen-on-loopback.ts";
import { startSqs } from "../../../local/aws/sqs/start-sqs.ts";
import {
  planRedrive,
  redriveDeadLetters,
} from "../../../operations/dead-letters/redrive-dead-letters.ts";
import { localClients } from "../../../operations/target/aws-clients.ts";
import type { Target } from "../../../operations/target/target.ts";
import { sqsClient } from "../../local/aws/aws-clients.ts";

/** The emulator's message move tasks end at once and never fail in the middle, so this server answers like SQS. */
let answers: Record<string, object[]>;
let calls: { operation: string; input: Record<string, unknown> }[];
let stop: () => Promise<void> | void;
let target: Target;
const audited: string[] = [];

beforeEach(async () => {
  calls = [];
  answers = {};
  const server = createServer(async (request, response) => {
    const operation = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
    const input = JSON.parse(await text(request));
    calls.push({ operation, input });
    const queue = answers[operation] ?? [{}];
    const answer = (queue.length > 1 ? queue.shift() : queue[0]) ?? {};
    response.writeHead("__type" in answer ? 400 : 200, {
      "content-type": "application/x-amz-json-1.0",
    });
    response.end(JSON.stringify(operation === "GetQueueAttributes" ? attributesOf(input) : answer));
  });
  const { endpoint, ...listening } = await listenOnLoopback(server);
  stop = listening.stop;
  const endpoints = { sqs: endpoint, dynamodb: endpoint, secretsmanager: endpoint };
  target = {
    kind: "deployed",
    clients: localClients({ region: "eu-central-1", ...endpoints }),
    subscribers: [
      {
        name: "books",
        types: ["*"],
        ordered: true,
        queueUrl: `${endpoint}/1/books.fifo`,
        deadLettersUrl: `${endpoint}/1/dead.fifo`,
      },
    ],
    audit: async (act: string) => void audited.push(act),
  } as unknown as Target;
});

afterEach(async () => {
  target.clients.destroy();
  await stop();
});

function attributesOf({ QueueUrl }: Record<string, unknown>) {
  const QueueArn = `arn:aws:sqs:eu-central-1:1:${String(QueueUrl).split("/").at(-1)}`;
  return { Attributes: { QueueArn, ApproximateNumberOfMessages: "12" } };
}

const task = (Status: string, moved: number, StartedTimestamp = 2) => ({
  Results: [{ Status, ApproximateNumberOfMessagesMoved: moved, StartedTimestamp }],
});
const none = { Results: [] };

const redriveAll = async (options = {}, on = target) =>
  await redriveDeadLetters(on, await planRedrive(on, "books", undefined), options);

test("on a deployed stack everything is moved by SQS, back to the queue it came from", async () => {
  answers["ListMessageMoveTasks"] = [none, task("RUNNING", 4), task("COMPLETED", 12)];
  const heard: number[] = [];
  const redriven = await redriveAll({ onProgress: (moved: number) => heard.push(moved) });
  expect(redriven).toEqual({ moved: 12, notReached: 0, cameBack: 0, end: "empty" });
  expect(heard).toEqual([4, 12]);
  expect(calls.find(({ operation }) => operation === "StartMessageMoveTask")?.input).toEqual({
    SourceArn: "arn:aws:sqs:eu-central-1:1:dead.fifo",
    DestinationArn: "arn:aws:sqs:eu-central-1:1:books.fifo",
  });
  expect(calls.map(({ operation }) => operation)).not.toContain("SendMessage");
  expect(audited).toEqual(["dead-letters-redrive"]);
});

test("what SQS has buried is back in its queue after a task of the emulator", async () => {
  const emulator = await startSqs();
  const sqs = sqsClient(emulator.endpoint);
  const create = async (QueueName: string, attributes = {}) => {
    const Attributes = { FifoQueue: "true", ...attributes };
    return (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl!;
  };
  const deadLettersUrl = await create("dead.fifo");
  const deadLetterTargetArn = "arn:aws:sqs:us-east-1:000000000000:dead.fifo";
  const policy = { deadLetterTargetArn, maxReceiveCount: 1 };
  const QueueUrl = await create("books.fifo", { RedrivePolicy: JSON.stringify(policy) });
  const ids = { MessageGroupId: "g", MessageDeduplicationId: "d" };
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "event", ...ids }));
  const receive = () => sqs.send(new ReceiveMessageCommand({ QueueUrl, VisibilityTimeout: 0 }));
  await receive();
  expect((await receive()).Messages).toBeUndefined();
  const books = { ...target.subscribers[0]!, queueUrl: QueueUrl, deadLettersUrl };
  const there = { ...target, clients: { ...target.clients, sqs }, subscribers: [books] };
  expect(await redriveAll({}, there)).toMatchObject({ moved: 1, end: "empty" });
  expect((await receive()).Messages).toMatchObject([{ Body: "event" }]);
  sqs.destroy();
  await emulator.stop();
});

test("the end of an earlier task is not taken for the end of this one", async () => {
  const earlier = task("COMPLETED", 99, 1);
  answers["ListMessageMoveTasks"] = [earlier, earlier, task("COMPLETED", 12)];
  expect(await redriveAll()).toMatchObject({ moved: 12, end: "empty" });
});

test("a second redrive of the same queue is explained", async () => {
  answers["StartMessageMoveTask"] = [
    {
      __type: "com.amazonaws.sqs#InvalidParameterValue",
      message:
        "There is already a task running. Only one active task is allowed for a source queue arn at a given time.",
    },
  ];
  await expect(redriveAll()).rejects.toMatchObject({
    code: "aws-redrive-running",
    message: expect.stringContaining("Another redrive of this queue is running."),
  });
});

test("a task that SQS ends is told with its reason", async () => {
  const failed = { Status: "FAILED", FailureReason: "CouldNotDetermineMessageSource" };
  answers["ListMessageMoveTasks"] = [none, { Results: [failed] }];
  await expect(redriveAll()).rejects.toMatchObject({
    code: "aws-refused",
    message: expect.stringContaining("CouldNotDetermineMessageSource"),
  });
});

test("a task that may not send to the queue is told with what to configure", async () => {
  const failed = { Status: "FAILED", FailureReason: "AccessDenied" };
  answers["ListMessageMoveTasks"] = [none, { Results: [failed] }];
  await expect(redriveAll()).rejects.toThrow("list the ARN of your role there");
});

test("Ctrl-C does not wait any longer, and SQS goes on", async () => {
  answers["ListMessageMoveTasks"] = [none, task("RUNNING", 4)];
  const stop = new AbortController();
  const redriven = await redriveAll({ stopped: stop.signal, onProgress: () => stop.abort() });
  expect(redriven).toMatchObject({ moved: 4, end: "task-running" });
});

test("some ids are never moved by a task, since a task moves everything", async () => {
  const md5 = hash("md5", "{}");
  const letter = { MessageId: "0c1f0c1f", ReceiptHandle: "r", Body: "{}", MD5OfBody: md5 };
  const Attributes = { MessageGroupId: "g", SentTimestamp: "1794705764123" };
  const page = { Messages: [{ ...letter, Attributes }] };
  answers["ReceiveMessage"] = [page, {}, page, {}];
  answers["SendMessage"] = [{ MessageId: "1", MD5OfMessageBody: md5 }];
  const plan = await planRedrive(target, "books", ["0c1f"]);
  expect(await redriveDeadLetters(target, plan)).toMatchObject({ moved: 1, end: "empty" });
  expect(calls.map(({ operation }) => operation)).not.toContain("StartMessageMoveTask");
});
