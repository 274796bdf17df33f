/** Sends each record on to the results queue, then does what the record's body asks for. */
export const forwarding = `
import { createRequire } from "node:module";
const { ChangeMessageVisibilityCommand, SQSClient, SendMessageCommand } = createRequire("${process.cwd()}/package.json")("@aws-sdk/client-sqs");
const sqs = new SQSClient({});
export const handler = async (event) => {
  const batchItemFailures = [];
  for (const record of event.Records) {
    const MessageBody = JSON.stringify({ ...record, batch: event.Records.length, seenAt: Date.now() });
    await sqs.send(new SendMessageCommand({ QueueUrl: process.env.RESULTS_URL, MessageBody }));
    if (record.body === "throw") throw new Error("whole batch");
    if (record.body === "fail soon") {
      const { receiptHandle: ReceiptHandle } = record;
      const QueueUrl = process.env.INBOX_URL;
      await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 2 }));
    }
    if (record.body.startsWith("fail")) batchItemFailures.push({ itemIdentifier: record.messageId });
  }
  return { batchItemFailures };
};`;

/** The inbox as an event source of that function. */
export const mapping = (properties: object = {}) => ({
  Type: "AWS::Lambda::EventSourceMapping",
  Properties: {
    EventSourceArn: { "Fn::GetAtt": ["Inbox", "Arn"] },
    FunctionName: { Ref: "Fn" },
    BatchSize: 10,
    FunctionResponseTypes: ["ReportBatchItemFailures"],
    ...properties,
  },
});

/** A record as it was sent on. */
export interface Forwarded {
  body: string;
  attributes: Record<string, string>;
  /** How many messages came with it, itself included. */
  batch: number;
  seenAt: number;
}
