import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { createGiveBack, retryDelaySeconds } from "../../../shared/processing/give-back.ts";

const byCount = (random: number) =>
  [1, 2, 3, 4, 5, 6, 7, 1000].map((receiveCount) =>
    retryDelaySeconds({ receiveCount }, {}, () => random),
  );

const byTime = (seconds: number, receiveCount = 1) =>
  retryDelaySeconds({ receiveCount }, { triedForMilliseconds: seconds * 1000 }, () => 1);

test("a message that is given back is seen again after seconds, which double up to a minute", () => {
  expect(byCount(1)).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
});

test("the delays are jittered, and never none", () => {
  expect(byCount(0)).toEqual([2, 3, 6, 12, 24, 45, 45, 45]);
  expect(retryDelaySeconds({ receiveCount: 0 }, {}, () => 0)).toBeGreaterThanOrEqual(1);
});

test("where its record tells since when it is tried, the delay grows with that time", () => {
  expect([0, 2, 4, 8, 16, 32, 64, 300].map((seconds) => byTime(seconds))).toEqual([
    2, 2, 4, 8, 16, 32, 60, 60,
  ]);
});

test("a message that waited behind another one starts with short delays", () => {
  expect(byTime(0, 30)).toBe(2);
});

const queued = { body: "", group: "g", receiveCount: 1, sentAtMilliseconds: 0 };
const messages = ["a", "b"].map((id) => ({ ...queued, messageId: id, receiptHandle: id }));

test("each message of the group gets the same delay, within a limit of time", async () => {
  const sent: unknown[] = [];
  const send = async ({ input }: { input: object }, options: object) => {
    sent.push(input, options);
    return {};
  };
  const giveBack = createGiveBack({ send } as unknown as SQSClient, "queue", () => 1);
  expect(await giveBack(messages, {})).toBe(true);
  const entry = (index: number, ReceiptHandle: string) => ({
    ...{ Id: String(index), ReceiptHandle, VisibilityTimeout: 2 },
  });
  expect(sent).toEqual([
    { QueueUrl: "queue", Entries: [entry(0, "a"), entry(1, "b")] },
    { abortSignal: expect.any(AbortSignal) },
  ]);
});

test("a call that fails is told, and without messages there is no call", async () => {
  const send = () => Promise.reject(new Error("no"));
  const giveBack = createGiveBack({ send } as unknown as SQSClient, "queue");
  expect(await giveBack(messages, {})).toBe(false);
  expect(await giveBack([], {})).toBe(true);
});

test.each([
  ["all", [], true],
  ["a part", [{ Id: "1", Code: "InternalError", SenderFault: false }], false],
])("if SQS gives back %s of the messages, that is told", async (_, Failed, worked) => {
  const client = { send: async () => ({ Failed }) } as unknown as SQSClient;
  expect(await createGiveBack(client, "queue")(messages, {})).toBe(worked);
});
