import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { PaycastError } from "../paycast-error.ts";
import { sha256Of } from "../sha256.ts";
import type { QueuedMessage } from "./process-batch.ts";

export type QuarantineMessage = (message: QueuedMessage, why: PaycastError) => Promise<void>;

const deadlineMilliseconds = 3_000;

/**
 * Puts a message that is authentic but cannot be processed with the dead letters, unchanged, the reason
 * beside it: it can be redriven to the inbox once the cause is mended.
 */
export function createQuarantine(client: SQSClient, deadLettersUrl: string): QuarantineMessage {
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
    await client.send(command, { abortSignal: AbortSignal.timeout(deadlineMilliseconds) });
  };
}
