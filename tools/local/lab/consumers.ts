import type { SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { handleBatch } from "../../../shared/consumer/handle-batch.ts";
import { parseEvent } from "../../../shared/consumer/parse-event.ts";
import type { Consumer } from "../../console/console-context.ts";
import type { StackLog } from "../stack/functions/stack-event.ts";
import { type Poller, pollQueue } from "../stack/triggers/poll-queue.ts";

/** Consumers of the subscribers' queues that stand in for other teams' code. */
export interface Consumers {
  /** A queue that is not listed has no consumer. */
  readonly all: () => Readonly<Record<string, Consumer>>;
  /** Resolves when the change has taken effect. */
  readonly set: (subscriber: string, queueUrl: string, consumer: Consumer) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * A failed event becomes visible this soon, not after minutes as in the queues' own settings: ten receives take
 * seconds.
 */
const againSeconds = 1;

const batchSchema = z.object({
  Records: z.array(
    z.object({
      messageId: z.string(),
      body: z.string(),
      attributes: z.record(z.string(), z.string()),
    }),
  ),
});

export function createConsumers(sqs: SQSClient, log: StackLog): Consumers {
  const consumers = new Map<string, Consumer>();
  const pollers = new Map<string, Poller>();
  const stop = async (subscriber: string) => {
    const poller = pollers.get(subscriber);
    pollers.delete(subscriber);
    await poller?.stop();
  };
  const start = (subscriber: string, queueUrl: string) => {
    const label = `the queue of ${subscriber}`;
    const source = { queueUrl, queueArn: queueUrl, label, batchSize: 10, maxConcurrency: 1 };
    const invoke = (batch: unknown) => consume(batch, consumers.get(subscriber));
    const consumer = { definition: { label: `the consumer of ${subscriber}` }, invoke };
    return pollQueue(sqs, { ...source, visibilitySeconds: againSeconds }, consumer, log);
  };
  return {
    all: () => Object.fromEntries(consumers),
    set: async (subscriber, queueUrl, consumer) => {
      if (consumer.mode === "nobody") {
        consumers.delete(subscriber);
        await stop(subscriber);
      } else {
        consumers.set(subscriber, consumer);
        if (!pollers.has(subscriber)) pollers.set(subscriber, start(subscriber, queueUrl));
      }
    },
    stop: async () => {
      await Promise.all([...pollers.keys()].map(stop));
    },
  };
}

async function consume(batch: unknown, consumer: Consumer | undefined) {
  const handle = ({ body }: { readonly body: string }) => {
    if (consumer === undefined || fails(consumer, body)) throw new Error("fails on purpose");
  };
  // The failure is intended, so it is not reported.
  const answer = await handleBatch(batchSchema.parse(batch), handle, { onFailure: () => {} });
  return { ok: true, json: JSON.stringify(answer) } as const;
}

function fails({ mode, type }: Consumer, body: string): boolean {
  return mode === "fails" || (mode === "fails-on-type" && parseEvent(body).type === type);
}
