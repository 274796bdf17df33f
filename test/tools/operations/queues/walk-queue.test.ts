import { expect, test } from "vitest";
import type { HeldMessage, MessageQueue } from "../../../../tools/operations/ports/queues.ts";
import { walkQueue } from "../../../../tools/operations/queues/walk-queue.ts";

/** What the emulator never does: a message twice, a clock that jumps. */
function queueOf(...batches: HeldMessage[][]) {
  const log: string[] = [];
  const remaining = [...batches];
  const queue: MessageQueue = {
    receive: async () => remaining.shift() ?? [],
    remove: async ({ messageId }) => void log.push(`remove ${messageId}`),
    giveBack: async (messages) => {
      for (const { receiptHandle } of messages) log.push(`give back ${receiptHandle}`);
      return 0;
    },
    send: async () => {},
    count: async () => ({ waiting: 0, inFlight: 0 }),
    sendBatch: async () => [],
    attributes: async () => ({}),
    arn: async () => "",
  };
  return { queue, log };
}

const message = (messageId: string, group: string, receipt = "1"): HeldMessage => ({
  messageId,
  receiptHandle: `${messageId}/${receipt}`,
  body: messageId,
  group,
  attributes: {},
  sentAtMilliseconds: 0,
  receiveCount: 1,
});

test("a group stops at its first failure, other groups go on, and the rest is returned", async () => {
  const batch = [message("a1", "a"), message("a2", "a"), message("b1", "b")];
  const { queue, log } = queueOf(batch);
  const walk = await walkQueue(queue, async ({ messageId }) => {
    if (messageId === "a1") throw new Error("refused");
    return "moved";
  });
  expect(walk).toMatchObject({ moved: 1, end: "failed", failure: new Error("refused") });
  expect(log).toEqual(["remove b1", "give back a1/1", "give back a2/1"]);
});

test("a message that is received again is visited once, and returned by its newest handle", async () => {
  const { queue, log } = queueOf([message("a1", "a")], [message("a1", "a", "2")]);
  const visited: string[] = [];
  const walk = await walkQueue(queue, async ({ messageId }) => {
    visited.push(messageId);
    return "kept";
  });
  expect(walk).toMatchObject({ received: 1, end: "empty" });
  expect(visited).toEqual(["a1"]);
  expect(log).toEqual(["give back a1/2"]);
});

test("a message that was moved and comes again is only deleted again", async () => {
  const { queue, log } = queueOf([message("a1", "a")], [message("a1", "a", "2")]);
  let visits = 0;
  const walk = await walkQueue(queue, async () => {
    visits += 1;
    return "moved";
  });
  expect(walk).toMatchObject({ moved: 1, end: "empty" });
  expect({ visits, log }).toEqual({ visits: 1, log: ["remove a1", "remove a1"] });
});

test("a message whose hold may have ended is not touched: somebody else may have it", async () => {
  const { queue, log } = queueOf([message("a1", "a"), message("a2", "a")]);
  let now = 0;
  const visited: string[] = [];
  await walkQueue(
    queue,
    async ({ messageId }) => {
      visited.push(messageId);
      now += 250_000;
      return "moved";
    },
    { now: () => now },
  );
  expect(visited).toEqual(["a1"]);
  expect(log).toEqual(["remove a1", "give back a2/1"]);
});

/** A walk over a hundred messages, each visited for a minute. */
async function walkForMinutes(decision: "kept" | "moved") {
  const batches = Array.from({ length: 100 }, (_item, index) => [
    message(`m${index}`, `g${index}`),
  ]);
  const { queue } = queueOf(...batches);
  let now = 0;
  const visit = async () => {
    now += 60_000;
    return decision;
  };
  return await walkQueue(queue, visit, { now: () => now });
}

test("a walk ends before the first held message becomes visible by itself", async () => {
  expect(await walkForMinutes("kept")).toMatchObject({ end: "bound", received: 5 });
});

test("moving has no such bound: nothing is held", async () => {
  expect(await walkForMinutes("moved")).toMatchObject({ end: "empty", moved: 100 });
});

test("no more than ten thousand messages are held", async () => {
  const batches = Array.from({ length: 1_100 }, (_item, batch) =>
    Array.from({ length: 10 }, (_item, index) => message(`m${batch}-${index}`, `g${batch}`)),
  );
  const { queue, log } = queueOf(...batches);
  const walk = await walkQueue(queue, async () => "kept");
  expect(walk).toMatchObject({ end: "bound", received: 10_000 });
  expect(log).toHaveLength(10_000);
});
