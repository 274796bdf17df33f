import { setTimeout as wait } from "node:timers/promises";
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { Random } from "./random.ts";

/** One receive of a message. The same `messageId` again is the same message. */
export interface Received {
  readonly subscriber: string;
  readonly messageId: string;
  readonly body: string;
  readonly group: string | undefined;
  readonly atMilliseconds: number;
}

export interface Consumers {
  readonly received: readonly Received[];
  /** Reads this queue until nothing comes any more. */
  readonly drain: (subscriber: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Shorter than in the stack's queues, so that a message that was forgotten comes again soon. */
const visibilitySeconds = 2;

/** Teams that read their queues. Now and then one forgets to delete a message, as after a crash. */
export function startConsumers(
  sqs: SQSClient,
  queues: Readonly<Record<string, string>>,
  random: Random,
): Consumers {
  const received: Received[] = [];
  let isStopped = false;
  const read = async (subscriber: string, QueueUrl: string): Promise<number> => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        ...{ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 },
        ...{ VisibilityTimeout: visibilitySeconds, MessageSystemAttributeNames: ["All"] },
      }),
    );
    for (const { MessageId = "", Body = "", ReceiptHandle, Attributes } of Messages) {
      const group = Attributes?.MessageGroupId;
      const atMilliseconds = Date.now();
      received.push({ subscriber, messageId: MessageId, body: Body, group, atMilliseconds });
      // The rest of the batch is forgotten, too: a later message of a group must not be deleted before an earlier one.
      if (random.chance(0.01)) break;
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    return Messages.length;
  };
  const readOn = async (subscriber: string, queueUrl: string) => {
    while (!isStopped) {
      // A queue that was deleted for a while cannot be read.
      await read(subscriber, queueUrl).catch(() => wait(300));
    }
  };
  const reading = Object.entries(queues).map(([name, url]) => readOn(name, url));
  return {
    received,
    drain: async (subscriber) => {
      const url = queues[subscriber] ?? "";
      let empty = 0;
      while (empty < 3) empty = (await read(subscriber, url).catch(() => 0)) > 0 ? 0 : empty + 1;
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(reading);
    },
  };
}
