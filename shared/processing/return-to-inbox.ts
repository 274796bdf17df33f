import { ChangeMessageVisibilityBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { queueTooSlow, tryInTime } from "../in-time.ts";
import {
  deliveryTrialMilliseconds,
  firstRetryMilliseconds,
  longestRetryMilliseconds,
  returnMessageMilliseconds,
} from "../timing.ts";
import type { NotDone, QueuedMessage } from "./process-batch.ts";

/**
 * Seconds until the next attempt. The pause equals the time for which the message has been tried, so it doubles, and a
 * long outage costs few calls. No pause passes the end of the trial time: a group that waits for a missing queue waits
 * for that time and not for twice as long. If the time is unknown, the pause depends on the receive count, which also
 * grows while a message waits behind another.
 */
export function retryDelaySeconds(
  { receiveCount }: Pick<QueuedMessage, "receiveCount">,
  { triedForMilliseconds }: NotDone,
  random: () => number,
): number {
  const wanted =
    triedForMilliseconds === undefined
      ? doubledMilliseconds(receiveCount)
      : Math.min(triedForMilliseconds, remainingTrial(triedForMilliseconds));
  const wait = Math.min(Math.max(wanted, firstRetryMilliseconds), longestRetryMilliseconds);
  return Math.max(1, Math.round((wait * (0.75 + random() / 4)) / 1000));
}

function doubledMilliseconds(receiveCount: number): number {
  return firstRetryMilliseconds * 2 ** Math.min(Math.max(receiveCount, 1) - 1, 16);
}

function remainingTrial(triedForMilliseconds: number): number {
  const remaining = deliveryTrialMilliseconds - triedForMilliseconds;
  return remaining > 0 ? remaining : Infinity;
}

export type ReturnToInbox = (messages: readonly QueuedMessage[], why: NotDone) => Promise<boolean>;

/**
 * Makes the messages of one group visible again after a few seconds instead of the whole visibility timeout. If the
 * call to SQS fails, they wait for that timeout. Never throws; returns whether the call succeeded.
 */
export function createReturnToInbox(
  client: SQSClient,
  queueUrl: string,
  random: () => number = Math.random,
): ReturnToInbox {
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
    const send = () => client.send(command);
    try {
      const { Failed = [] } = await tryInTime(returnMessageMilliseconds, queueTooSlow, send);
      return Failed.length === 0;
    } catch {
      return false;
    }
  };
}
