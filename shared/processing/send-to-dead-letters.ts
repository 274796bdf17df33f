import { Buffer } from "node:buffer";
import {
  type MessageAttributeValue,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { isFaultOfAws } from "../errors/aws-fault.ts";
import { PaycastError } from "../errors/paycast-error.ts";
import { queueTooSlow, tryInTime } from "../in-time.ts";
import { mostMessageBytes } from "../message-size.ts";
import { sha256Of } from "../sha256.ts";
import { deadLetterMilliseconds } from "../timing.ts";
import type { QueuedMessage } from "./process-batch.ts";

export type SendToDeadLetters = (message: QueuedMessage, why: PaycastError) => Promise<void>;

/**
 * Sends a message unchanged to the inbox's dead-letter queue, with the reason as an attribute; set-aside.ts decides
 * when. It gets a new deduplication id: a redrive keeps the id, and SQS would drop a message with the old one.
 */
export function createDeadLetters(client: SQSClient, deadLettersUrl: string): SendToDeadLetters {
  return async (message, why) => {
    const command = new SendMessageCommand({
      QueueUrl: deadLettersUrl,
      MessageBody: message.body,
      MessageGroupId: message.group,
      MessageDeduplicationId: sha256Of("quarantine", message.messageId),
      MessageAttributes: attributesFor(message, why),
    });
    try {
      await tryInTime(deadLetterMilliseconds, queueTooSlow, () => client.send(command));
    } catch (cause) {
      throw isFaultOfAws(cause) ? notAccepted(cause) : cause;
    }
  };
}

function notAccepted(cause: unknown): PaycastError {
  const message = "The inbox's dead-letter queue did not accept the message.";
  return new PaycastError("dead-letters-unavailable", message, { retryable: true, cause });
}

/**
 * Empty if the message has no room for attributes: SQS would reject it every time, and its group would wait for hours.
 */
function attributesFor(
  { body }: QueuedMessage,
  { code, message }: PaycastError,
): Record<string, MessageAttributeValue> {
  const attributes = { reason: code, detail: message };
  const bytes = Buffer.byteLength(body) + attributeBytes(attributes);
  if (bytes > mostMessageBytes) return {};
  return { reason: textAttribute(code), detail: textAttribute(message) };
}

function attributeBytes(attributes: Readonly<Record<string, string>>): number {
  const texts = Object.entries(attributes).flatMap(([name, text]) => [name, "String", text]);
  return Buffer.byteLength(texts.join(""));
}

function textAttribute(StringValue: string): MessageAttributeValue {
  return { DataType: "String", StringValue };
}
