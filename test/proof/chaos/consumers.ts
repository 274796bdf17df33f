import { setTimeout as wait } from "node:timers/promises";
import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { countMessages } from "./count-messages.ts";
import type { Random } from "./random.ts";

/** One receive of a message. The same `messageId` again is the same message. */
export interface Received {
  readonly subscriber: string;
  readonly messageId: string;
  readonly body: string;
  readonly group: string | undefined;
  /** The message attribute, by which a team can choose messages without reading them. */
  readonly type: string | undefined;
  readonly atMilliseconds: number;
  /** When it was sent to the queue. */
  readonly sentMilliseconds: number;
}

export interface Consumers {
  readonly received: readonly Received[];
  /** Reads this queue until it is empty. */
  readonly drain: (subscriber: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Shorter than in the stack's queues, so that a message that was not deleted is soon visible again. */
const visibilitySeconds = 2;

/** Teams that read their queues. Sometimes one does not delete a message, as after a crash. */
export function startConsumers(
  sqs: SQSClient,
  queues: Readonly<Record<string, string>>,
  random: Random,
  now: () => number = Date.now,
): Consumers {
  const received: Received[] = [];
  let isStopped = false;
  const read = async (subscriber: string, QueueUrl: string): Promise<number> => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        VisibilityTimeout: visibilitySeconds,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
    );
    for (const message of Messages) {
      const { MessageId = "", Body = "", ReceiptHandle, Attributes, MessageAttributes } = message;
      received.push({
        subscriber,
        messageId: MessageId,
        body: Body,
        group: Attributes?.MessageGroupId,
        type: MessageAttributes?.["type"]?.StringValue,
        atMilliseconds: now(),
        sentMilliseconds: Number(Attributes?.SentTimestamp),
      });
      // The rest of the batch is not deleted either: a later message of a group must not be deleted before an earlier
      // one.
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
      for (let empty = 0; empty < 3; ) {
        // What another reader holds is in the queue too. A read that fails has not seen an empty queue.
        const isEmpty = await read(subscriber, url).then(
          async (count) => count === 0 && (await countMessages(sqs, url)) === 0,
          () => false,
        );
        empty = isEmpty ? empty + 1 : 0;
      }
    },
    stop: async () => {
      isStopped = true;
      await Promise.all(reading);
    },
  };
}
