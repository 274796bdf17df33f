import { ChangeMessageVisibilityBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { firstRetryMilliseconds, longestRetryMilliseconds } from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

/** Seconds until the next try: they double with each, so that a long outage costs few calls. */
export function retryDelaySeconds(receiveCount: number, random: () => number): number {
  const doublings = Math.min(Math.max(receiveCount, 1) - 1, 16);
  const longest = Math.min(firstRetryMilliseconds * 2 ** doublings, longestRetryMilliseconds);
  return Math.max(1, Math.round((longest * (0.75 + random() / 4)) / 1000));
}

/**
 * Makes the messages of one group visible again after a few seconds instead of the whole visibility timeout. If
 * SQS does not do it, that timeout is what they wait. Throws nothing; says whether it worked.
 */
export function createGiveBack(
  client: SQSClient,
  queueUrl: string,
  random: () => number = Math.random,
): (messages: readonly QueuedMessage[]) => Promise<boolean> {
  return async (messages) => {
    const VisibilityTimeout = retryDelaySeconds(messages[0]?.receiveCount ?? 1, random);
    const Entries = messages.map(({ receiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout,
    }));
    const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries });
    try {
      const { Failed = [] } = await client.send(command, {
        abortSignal: AbortSignal.timeout(deadlineMilliseconds),
      });
      return Failed.length === 0;
    } catch {
      return false;
    }
  };
}

const deadlineMilliseconds = 3_000;
