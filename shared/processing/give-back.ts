import { ChangeMessageVisibilityBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import {
  firstRetryMilliseconds,
  giveBackMilliseconds,
  longestRetryMilliseconds,
} from "../timing.ts";
import type { GivenBack, QueuedMessage } from "./process-batch.ts";

/**
 * Seconds until the next try. The pause is as long as the message has been tried so far, so it doubles, and a long
 * outage costs few calls. If that time is unknown, it depends on the receive count. The count is second choice,
 * because it also grows while a message waits behind another one.
 */
export function retryDelaySeconds(
  { receiveCount }: Pick<QueuedMessage, "receiveCount">,
  { triedForMilliseconds }: GivenBack,
  random: () => number,
): number {
  const doublings = Math.min(Math.max(receiveCount, 1) - 1, 16);
  const wanted = triedForMilliseconds ?? firstRetryMilliseconds * 2 ** doublings;
  const wait = Math.min(Math.max(wanted, firstRetryMilliseconds), longestRetryMilliseconds);
  return Math.max(1, Math.round((wait * (0.75 + random() / 4)) / 1000));
}

export type GiveBack = (messages: readonly QueuedMessage[], why: GivenBack) => Promise<boolean>;

/**
 * Makes the messages of one group visible again after a few seconds instead of the whole visibility timeout. If the
 * call to SQS fails, they wait for that timeout. Never throws; returns whether it worked.
 */
export function createGiveBack(
  client: SQSClient,
  queueUrl: string,
  random: () => number = Math.random,
): GiveBack {
  return async (messages, why) => {
    const [first] = messages;
    if (first === undefined) return true;
    const VisibilityTimeout = retryDelaySeconds(first, why, random);
    const Entries = messages.map(({ receiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout,
    }));
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
    const abortSignal = AbortSignal.timeout(giveBackMilliseconds);
    try {
      const { Failed = [] } = await client.send(command, { abortSignal });
      return Failed.length === 0;
    } catch {
      return false;
    }
  };
}
