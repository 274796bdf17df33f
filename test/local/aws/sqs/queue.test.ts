import { expect, test } from "vitest";
import { append } from "../../../../local/aws/sqs/queue.ts";
import { createQueue, openStore } from "../../../../local/aws/sqs/queue-store.ts";
import {
  receiveMessages,
  receiveSchema,
  take,
} from "../../../../local/aws/sqs/receive-messages.ts";

/* What a test over HTTP would take too long for, or could not time. */

const makeQueue = () => {
  const store = openStore(undefined, () => 0);
  return { store, queue: createQueue(store, "queue.fifo", { FifoQueue: "true" }) };
};
const message = (groupId: string) => ({
  ...{ body: "1", attributes: {}, systemAttributes: {}, groupId },
  ...{ sentAtMilliseconds: 0, visibleAtMilliseconds: 0, receiveCount: 0 },
});

test("with 120,000 messages in flight a queue gives no more, and no error", () => {
  const { store, queue } = makeQueue();
  for (let index = 0; index < 120_001; index += 1) append(queue, message(`g${index}`));
  expect(take(store, queue, 119_999, 30)).toHaveLength(119_999);
  expect(take(store, queue, 10, 30)).toHaveLength(1);
  expect(take(store, queue, 10, 30)).toEqual([]);
});

test("a caller that went away while it waited takes no message", async () => {
  const { store, queue } = makeQueue();
  const caller = new AbortController();
  const input = receiveSchema.parse({ WaitTimeSeconds: 20 });
  const waiting = receiveMessages(store, queue, input, caller.signal);
  caller.abort();
  append(queue, message("g"));
  expect(await waiting).toEqual({});
  expect([...queue.messages.values()]).toMatchObject([{ receiveCount: 0 }]);
});
