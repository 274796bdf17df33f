import { ChangeMessageVisibilityBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import {
  deliveryTrialMilliseconds,
  firstRetryMilliseconds,
  giveBackMilliseconds,
  longestRetryMilliseconds,
} from "../timing.ts";
import type { GivenBack, QueuedMessage } from "./process-batch.ts";

/**
 * Seconds until the next try. The pause is as long as the message has been tried so far, so it doubles, and a long
 * outage costs few calls. No pause lasts beyond the time for which an event is tried at least: a group that waits for a
 * queue that is gone waits for that time and not for twice as long. If the time of the tries is unknown, the pause
 * depends on the receive count. The count is second choice, because it also grows while a message waits behind another.
 */
export function retryDelaySeconds(
  { receiveCount }: Pick<QueuedMessage, "receiveCount">,
  { triedForMilliseconds }: GivenBack,
  random: () => number,
): number {
  const wanted =
    triedForMilliseconds === undefined
      ? doubledMilliseconds(receiveCount)
      : Math.min(triedForMilliseconds, leftOfTrial(triedForMilliseconds));
  const wait = Math.min(Math.max(wanted, firstRetryMilliseconds), longestRetryMilliseconds);
  return Math.max(1, Math.round((wait * (0.75 + random() / 4)) / 1000));
}

function doubledMilliseconds(receiveCount: number): number {
  return firstRetryMilliseconds * 2 ** Math.min(Math.max(receiveCount, 1) - 1, 16);
}

function leftOfTrial(triedForMilliseconds: number): number {
  const remaining = deliveryTrialMilliseconds - triedForMilliseconds;
  return remaining > 0 ? remaining : Infinity;
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
