import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { captureMilliseconds } from "../timing.ts";

export interface CapturedEntry {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

export type SendCaptured = (entry: CapturedEntry) => Promise<void>;

/** Has its own client, so that a queue that hangs takes no connection from the inbox. No check of MD5s, as for the inbox. */
export function createCapturedSender(queueUrl: string): SendCaptured {
  const client = new SQSClient({
    useQueueUrlAsEndpoint: false,
    md5: false,
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 400, requestTimeout: 850, throwOnRequestTimeout: true },
  });
  return async ({ body, group, deduplicationId }) => {
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: deduplicationId,
    });
    await client.send(command, { abortSignal: AbortSignal.timeout(captureMilliseconds) });
  };
}
