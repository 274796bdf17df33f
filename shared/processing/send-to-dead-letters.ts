import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { PaycastError } from "../paycast-error.ts";
import { sha256Of } from "../sha256.ts";
import { deadLetterMilliseconds } from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

export type SendToDeadLetters = (message: QueuedMessage, why: PaycastError) => Promise<void>;

/**
 * Sends a message to the inbox's dead letters, unchanged, with the reason as an attribute; process-callback.ts decides
 * when. It gets a new deduplication id: a redrive keeps the id, and SQS would drop the message if it had the old one.
 */
export function createDeadLetters(client: SQSClient, deadLettersUrl: string): SendToDeadLetters {
  return async (message, why) => {
    const command = new SendMessageCommand({
      QueueUrl: deadLettersUrl,
      MessageBody: message.body,
      MessageGroupId: message.group,
      MessageDeduplicationId: sha256Of("quarantine", message.messageId),
      MessageAttributes: {
        reason: { DataType: "String", StringValue: why.code },
        detail: { DataType: "String", StringValue: why.message },
      },
    });
    await client.send(command, { abortSignal: AbortSignal.timeout(deadLetterMilliseconds) });
  };
}
