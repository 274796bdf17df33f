import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import {
  countIn,
  type HeldMessage,
  holdMilliseconds,
  isQueueMissing,
  type MessageQueue,
  type OutgoingMessage,
} from "../ports/queues.ts";
import { stoppedOrLate } from "../stopped-or-late.ts";

const callMilliseconds = 20_000;
const countMilliseconds = 10_000;

export function openQueue(sqs: SQSClient, QueueUrl: string, hold = holdMilliseconds): MessageQueue {
  const inTime = (milliseconds = callMilliseconds) => ({
    abortSignal: AbortSignal.timeout(milliseconds),
  });
  const attributes = async () => {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
    return (await sqs.send(command, inTime(countMilliseconds))).Attributes ?? {};
  };
  return {
    receive: async ({ waitSeconds: WaitTimeSeconds = 1, stopped } = {}) => {
      const VisibilityTimeout = hold / 1000;
      const timing = { WaitTimeSeconds, VisibilityTimeout };
      const command = new ReceiveMessageCommand({ QueueUrl, ...receiving, ...timing });
      const limit =
        stopped === undefined
          ? inTime()
          : { abortSignal: stoppedOrLate(stopped, callMilliseconds) };
      const { Messages = [] } = await sqs.send(command, limit);
      return Messages.map(toHeld);
    },
    remove: async ({ receiptHandle }) => {
      const command = new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle });
      await sqs.send(command, inTime());
    },
    giveBack: async (messages) => {
      let remaining = 0;
      for (let at = 0; at < messages.length; at += 10) {
        const Entries = messages.slice(at, at + 10).map(toVisible);
        const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
        const answer = await sqs.send(command, inTime()).catch(() => undefined);
        remaining += answer === undefined ? Entries.length : (answer.Failed ?? []).length;
      }
      return remaining;
    },
    send: async (message) => {
      await sqs.send(new SendMessageCommand({ QueueUrl, ...toSend(message) }), inTime());
    },
    sendBatch: async (entries) => {
      const Entries = entries.map((entry, index) => ({ Id: String(index), ...entry }));
      const command = new SendMessageBatchCommand({ QueueUrl, Entries });
      const { Failed = [] } = await sqs.send(command, inTime());
      return Failed.map(({ Id, Code = "unknown", SenderFault = false }) => {
        return { index: Number(Id), code: Code, isLasting: SenderFault };
      });
    },
    count: async () => countIn(await attributes()),
    attributes: async () => {
      try {
        return await attributes();
      } catch (error) {
        if (isQueueMissing(error)) return undefined;
        throw error;
      }
    },
    arn: async () => (await attributes())["QueueArn"] ?? "",
  };
}

const receiving = {
  MaxNumberOfMessages: 10,
  MessageAttributeNames: ["All"],
  MessageSystemAttributeNames: ["All" as const],
};

function toHeld(message: Message): HeldMessage {
  const { Attributes = {}, MessageAttributes: attributes = {} } = message;
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    group: Attributes.MessageGroupId,
    attributes,
    sentAtMilliseconds: Number(Attributes.SentTimestamp ?? 0),
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 1),
  };
}

function toVisible({ receiptHandle }: HeldMessage, index: number) {
  return { Id: String(index), ReceiptHandle: receiptHandle, VisibilityTimeout: 0 };
}

function toSend({ body, attributes, order }: OutgoingMessage) {
  return {
    MessageBody: body,
    MessageAttributes: attributes,
    ...(order && { MessageGroupId: order.group, MessageDeduplicationId: order.deduplicationId }),
  };
}
