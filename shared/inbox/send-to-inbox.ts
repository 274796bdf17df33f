import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { PaycastError } from "../paycast-error.ts";
import { inboxSendMilliseconds } from "../timing.ts";

export interface InboxEntry {
  readonly body: string;
  readonly group: string;
  readonly deduplicationId: string;
}

export type SendToInbox = (entry: InboxEntry) => Promise<void>;

/**
 * Three attempts, with their pauses, fit before the deadline. A repeat has another body under the same deduplication id. If
 * SQS answered with the first body's MD5, a check of it would turn each repeat into a 503; TLS protects the bytes.
 */
function createInboxClient(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    md5: false,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 400, requestTimeout: 850, throwOnRequestTimeout: true },
  });
}

/** Returns only when the queue has the message. Throws `inbox-unavailable` at the latest at the deadline. */
export function createInboxSender(queueUrl: string, client = createInboxClient()): SendToInbox {
  return async ({ body, group, deduplicationId }) => {
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: deduplicationId,
    });
    try {
      await client.send(command, { abortSignal: AbortSignal.timeout(inboxSendMilliseconds) });
    } catch (error) {
      throw new PaycastError("inbox-unavailable", "The inbox did not accept the message.", {
        retryable: true,
        cause: error,
      });
    }
  };
}
