import type { Message, MessageAttributeValue } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { localRegion } from "../../aws/emulator.ts";

/** The event that Lambda makes from a batch of messages. */
export function toSqsEvent(messages: readonly Message[], queueArn: string): object {
  return { Records: messages.map((message) => toRecord(message, queueArn)) };
}

function toRecord(message: Message, eventSourceARN: string): object {
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      attributes.map(([name, value]) => [name, toAttribute(value)]),
    ),
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion: localRegion,
  };
}

function toAttribute({ DataType, StringValue, BinaryValue }: MessageAttributeValue): object {
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

const partialResponse = z
  .object({
    batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish(),
  })
  .nullish();

/**
 * The messages that failed, according to the function's answer. If the answer cannot be read or names a message that is
 * not in the batch, all messages failed, as with Lambda.
 */
export function failedMessages(messages: readonly Message[], resultJson: string): Message[] {
  const parsed = partialResponse.safeParse(JSON.parse(resultJson));
  if (!parsed.success) return [...messages];
  const failedIds = new Set(
    (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier),
  );
  const failed = messages.filter(({ MessageId }) => failedIds.has(MessageId ?? ""));
  return failed.length === failedIds.size ? failed : [...messages];
}
