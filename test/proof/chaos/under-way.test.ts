import { createServer, type ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { startConsumers } from "./consumers.ts";
import { createRandom } from "./random.ts";
import { startRelay } from "./relay.ts";

test("the relay is calm only when every envelope has its answer, copies included", async () => {
  const unanswered: ServerResponse[] = [];
  const stack = await listenOnLoopback(
    createServer((_request, response) => unanswered.push(response)),
  );
  // This draws two copies for every envelope.
  const random = { ...createRandom(1), next: () => 0.2, between: () => 2 };
  const relay = await startRelay(stack.endpoint, random);
  const carried = fetch(relay.url, { method: "POST", body: "{}" });
  while (unanswered.length < 3) await wait(5);
  const postsWhenCalm = relay.calm().then(() => relay.posts.length);
  expect(relay.countUnderWay()).toBe(3);
  for (const response of unanswered) response.end();
  expect(await postsWhenCalm).toBe(3);
  expect(relay.countUnderWay()).toBe(0);
  await carried;
  await relay.stop();
  await stack.stop();
});

/** A queue whose reads and counts are these, one after the other, then empty. */
function queueWith(reads: (number | Error)[], held: number[]) {
  const calls = { reads: 0 };
  const send = async (command: object) => {
    if (command instanceof GetQueueAttributesCommand) {
      return { Attributes: { ApproximateNumberOfMessagesNotVisible: String(held.shift() ?? 0) } };
    }
    calls.reads += 1;
    const read = reads.shift() ?? 0;
    if (read instanceof Error) throw read;
    return { Messages: [] };
  };
  return { calls, sqs: { send } as unknown as SQSClient };
}

/** How many reads it takes to drain the queue. */
async function readsToDrain(reads: (number | Error)[], held: number[]) {
  const { calls, sqs } = queueWith(reads, held);
  const consumers = startConsumers(sqs, {}, createRandom(1));
  await consumers.drain("all");
  await consumers.stop();
  return calls.reads;
}

test("a queue is drained when three reads in a row found it empty", async () => {
  expect(await readsToDrain([], [])).toBe(3);
});

test("a queue is not drained while somebody holds a message", async () => {
  expect(await readsToDrain([], [0, 0, 1])).toBe(6);
});

test("a read that failed has not found the queue empty", async () => {
  expect(await readsToDrain([0, new Error("the handle has expired")], [])).toBe(5);
});
