import { expect, test } from "vitest";
import { append } from "../../../../local/aws/sqs/queue.ts";
import { createQueue, openStore } from "../../../../local/aws/sqs/queue-store.ts";
import { receiveMessages, receiveSchema } from "../../../../local/aws/sqs/receive-messages.ts";

/** A call over HTTP could not be timed so. */
test("a caller that went away while it waited takes no message", async () => {
  const store = openStore(undefined, () => 0);
  const queue = createQueue(store, "queue.fifo", { FifoQueue: "true" });
  const caller = new AbortController();
  const input = receiveSchema.parse({ WaitTimeSeconds: 20 });
  const waiting = receiveMessages(store, queue, input, caller.signal);
  caller.abort();
  append(queue, {
    ...{ body: "1", attributes: {}, systemAttributes: {}, groupId: "g" },
    ...{ sentAtMilliseconds: 0, visibleAtMilliseconds: 0, receiveCount: 0 },
  });
  expect(await waiting).toEqual({});
  expect([...queue.messages.values()]).toMatchObject([{ receiveCount: 0 }]);
});
