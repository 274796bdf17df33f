import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";

export interface CapturedEntry {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

export type SendCaptured = (entry: CapturedEntry, limit: AbortSignal) => Promise<void>;

/**
 * Has its own client, so that a queue that hangs takes no connection from the inbox. One attempt, because the answer
 * waits for it. No check of MD5s, as for the inbox.
 */
export function createCapturedSender(queueUrl: string): SendCaptured {
  const client = new SQSClient({ useQueueUrlAsEndpoint: false, md5: false, maxAttempts: 1 });
  return async ({ body, group, deduplicationId }, limit) => {
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: deduplicationId,
    });
    await client.send(command, { abortSignal: limit });
  };
}
