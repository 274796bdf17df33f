import type { SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import {
  createReturnToInbox,
  retryDelaySeconds,
} from "../../../shared/processing/return-to-inbox.ts";
import {
  deliveryTrialMilliseconds,
  fewestDeliveryReceives,
  firstRetryMilliseconds,
} from "../../../shared/timing.ts";

const delayOf = (receiveCount: number, random: number, triedForSeconds?: number) => {
  const tried =
    triedForSeconds === undefined ? {} : { triedForMilliseconds: triedForSeconds * 1000 };
  return retryDelaySeconds({ receiveCount }, tried, () => random);
};

test.each([
  [1, [2, 4, 8, 16, 32, 60, 60, 60]],
  [0, [2, 3, 6, 12, 24, 45, 45, 45]],
])(
  "the delays double up to a minute, are jittered (random %d) and never none",
  (random, delays) => {
    expect([1, 2, 3, 4, 5, 6, 7, 1000].map((count) => delayOf(count, random))).toEqual(delays);
    expect(delayOf(0, random)).toBeGreaterThanOrEqual(1);
  },
);

test("where its record says since when it is tried, the delay grows with that time instead", () => {
  const delays = [0, 2, 4, 8, 16, 60, 64, 300].map((seconds) => delayOf(30, 1, seconds));
  expect(delays).toEqual([2, 2, 4, 8, 16, 60, 60, 60]);
});

test("no pause passes the end of the first minute, when Paycast gives up on a missing queue", () => {
  expect([32, 45, 59].map((seconds) => delayOf(30, 1, seconds))).toEqual([28, 15, 2]);
});

test.each([0, 0.5, 1])(
  "five receives fit into the first minute, and one comes just after it (random %d)",
  (random) => {
    const receives = [0];
    while (receives.at(-1)! < deliveryTrialMilliseconds / 1000) {
      receives.push(receives.at(-1)! + delayOf(1, random, receives.at(-1)!));
    }
    expect(receives.length).toBeGreaterThan(fewestDeliveryReceives);
    expect(receives.length).toBeLessThan(14);
    expect(receives.at(-1)).toBeLessThanOrEqual(
      (deliveryTrialMilliseconds + firstRetryMilliseconds) / 1000,
    );
  },
);

const queued = { body: "", group: "g", receiveCount: 1, sentAtMilliseconds: 0 };
const messages = ["a", "b"].map((id) => ({ ...queued, messageId: id, receiptHandle: id }));

test("each message of the group gets the same delay", async () => {
  const sent: unknown[] = [];
  const send = async ({ input }: { input: object }) => {
    sent.push(input);
    return {};
  };
  const returnToInbox = createReturnToInbox({ send } as unknown as SQSClient, "queue", () => 1);
  expect(await returnToInbox(messages, {})).toBe(true);
  const entry = (index: number, ReceiptHandle: string) => ({
    Id: String(index),
    ReceiptHandle,
    VisibilityTimeout: 2,
  });
  expect(sent).toEqual([{ QueueUrl: "queue", Entries: [entry(0, "a"), entry(1, "b")] }]);
});

test.each<[what: string, send: () => Promise<object>, worked: boolean]>([
  ["returns all of the messages", async () => ({ Failed: [] }), true],
  ["returns a part of them", async () => ({ Failed: [{ Id: "1" }] }), false],
  ["does not answer", () => Promise.reject(new Error("no")), false],
])(
  "if SQS %s, that is reported, and without messages there is no call",
  async (_case, send, worked) => {
    const returnToInbox = createReturnToInbox({ send } as unknown as SQSClient, "queue");
    expect(await returnToInbox(messages, {})).toBe(worked);
    expect(await returnToInbox([], {})).toBe(true);
  },
);
