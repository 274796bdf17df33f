import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { PaycastError } from "../paycast-error.ts";
import { sha256Of } from "../sha256.ts";
import { deadLetterMilliseconds } from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

export type SendToDeadLetters = (message: QueuedMessage, why: PaycastError) => Promise<void>;

/**
 * Puts a message with the inbox's dead letters, unchanged, the reason beside it. The deduplication id is another
 * one than the message had in the inbox: a redrive carries it along, and SQS would drop the old one.
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
