import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";

export type Handler = (event: SQSEvent) => Promise<SQSBatchResponse>;

/** What Lambda's event source mapping does with a queue, one step at a time. */
export function openSource(sqs: SQSClient, QueueUrl: string) {
  const settle = async (
    { messageId, receiptHandle: ReceiptHandle }: SQSRecord,
    failed: string[],
  ) => {
    const again = { QueueUrl, ReceiptHandle, VisibilityTimeout: 0 };
    await (failed.includes(messageId)
      ? sqs.send(new ChangeMessageVisibilityCommand(again))
      : sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })));
  };
  return {
    receive: async (): Promise<SQSRecord[]> => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          ...{ QueueUrl, MaxNumberOfMessages: 10 },
          ...{ MessageAttributeNames: ["All"], MessageSystemAttributeNames: ["All"] },
        }),
      );
      return Messages.map(toRecord);
    },
    /** Deletes what was handled. What failed is visible again at once, not after the queue's 180 seconds. */
    settle: async (records: readonly SQSRecord[], { batchItemFailures }: SQSBatchResponse) => {
      const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      for (const record of records) await settle(record, failed);
      return failed;
    },
  };
}

function toRecord({ MessageId, Body, ReceiptHandle, Attributes, MessageAttributes }: Message) {
  const attributes = Object.entries(MessageAttributes ?? {}).map(([name, { StringValue }]) => [
    name,
    { stringValue: StringValue!, dataType: "String" as const },
  ]);
  return {
    ...{ messageId: MessageId!, body: Body!, receiptHandle: ReceiptHandle! },
    attributes: Attributes as SQSRecord["attributes"],
    messageAttributes: Object.fromEntries(attributes),
    ...{ md5OfBody: "", eventSource: "aws:sqs", eventSourceARN: "", awsRegion: "us-east-1" },
  };
}
