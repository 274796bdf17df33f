import { randomBytes } from "node:crypto";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { PaycastError } from "../paycast-error.ts";

export interface InboxEntry {
  readonly body: string;
  readonly group: string;
}

export type SendToInbox = (entry: InboxEntry) => Promise<void>;

const deadlineMilliseconds = 3_000;

/** Three attempts, with their pauses, fit before the deadline. */
function createInboxClient(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 400, requestTimeout: 850, throwOnRequestTimeout: true },
  });
}

/**
 * One call; returns only when the queue has the message, and throws `inbox-unavailable` by the deadline.
 * The deduplication id is fresh each time: DynamoDB tells duplicates apart, not SQS.
 */
export function createInboxSender(queueUrl: string, client = createInboxClient()): SendToInbox {
  return async ({ body, group }) => {
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: body,
      MessageGroupId: group,
      MessageDeduplicationId: randomBytes(32).toString("hex"),
    });
    try {
      await client.send(command, { abortSignal: AbortSignal.timeout(deadlineMilliseconds) });
    } catch (error) {
      throw new PaycastError("inbox-unavailable", "The inbox did not take the message.", {
        retryable: true,
        cause: error,
      });
    }
  };
}
