import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import type { Target } from "../target/target.ts";

/** A message that was received and not deleted. Others do not see it until it is given back. */
export interface HeldMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Undefined on a queue without order. */
  readonly group: string | undefined;
  readonly attributes: Readonly<Record<string, HeldAttribute>>;
  /** On a FIFO queue: when it came to this queue. On a standard queue: when it was first sent. */
  readonly sentAtMilliseconds: number;
  /** How often it was received from this queue, including this time. */
  readonly receiveCount: number;
}

interface HeldAttribute {
  readonly dataType: string;
  readonly text: string | undefined;
  readonly bytes: Uint8Array | undefined;
}

/** Received messages are invisible to others for this time, or until they are given back. */
export const holdMilliseconds = 300_000;
const callMilliseconds = 20_000;
/** A long poll asks all servers of SQS; a short one may miss messages. */
const longPollSeconds = 1;

interface QueueCount {
  readonly visible: number;
  readonly inFlight: number;
}

/** A queue as an operator uses it. */
export interface MessageQueue {
  /** At most ten messages; none if no message can be received. */
  readonly receive: () => Promise<readonly HeldMessage[]>;
  readonly remove: (message: HeldMessage) => Promise<void>;
  /** Makes messages visible again. Returns how many could not be given back; they come back when the hold ends. */
  readonly giveBack: (messages: readonly HeldMessage[]) => Promise<number>;
  readonly send: (message: OutgoingMessage) => Promise<void>;
  /** Approximate, as SQS counts. */
  readonly count: () => Promise<QueueCount>;
  readonly arn: () => Promise<string>;
}

interface OutgoingMessage {
  readonly body: string;
  readonly attributes: Readonly<Record<string, HeldAttribute>>;
  /** For a FIFO queue. */
  readonly order: { readonly group: string; readonly deduplicationId: string } | undefined;
}

export function openQueue({ clients: { sqs } }: Target, QueueUrl: string): MessageQueue {
  const inTime = () => ({ abortSignal: AbortSignal.timeout(callMilliseconds) });
  const attributes = async () => {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
    return (await sqs.send(command, inTime())).Attributes ?? {};
  };
  return {
    receive: async () => {
      const command = new ReceiveMessageCommand({ QueueUrl, ...receiving });
      const { Messages = [] } = await sqs.send(command, inTime());
      return Messages.map(toHeld);
    },
    remove: async ({ receiptHandle }) => {
      const command = new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receiptHandle });
      await sqs.send(command, inTime());
    },
    giveBack: async (messages) => {
      let left = 0;
      for (let at = 0; at < messages.length; at += 10) {
        const Entries = messages.slice(at, at + 10).map(toVisible);
        const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
        const answer = await sqs.send(command, inTime()).catch(() => undefined);
        left += answer === undefined ? Entries.length : (answer.Failed ?? []).length;
      }
      return left;
    },
    send: async (message) => {
      await sqs.send(new SendMessageCommand({ QueueUrl, ...toSend(message) }), inTime());
    },
    count: async () => {
      const { ApproximateNumberOfMessages, ApproximateNumberOfMessagesNotVisible } =
        await attributes();
      return {
        visible: Number(ApproximateNumberOfMessages ?? 0),
        inFlight: Number(ApproximateNumberOfMessagesNotVisible ?? 0),
      };
    },
    arn: async () => (await attributes()).QueueArn ?? "",
  };
}

const receiving = {
  MaxNumberOfMessages: 10,
  WaitTimeSeconds: longPollSeconds,
  VisibilityTimeout: holdMilliseconds / 1000,
  MessageAttributeNames: ["All"],
  MessageSystemAttributeNames: ["All" as const],
};

function toHeld(message: Message): HeldMessage {
  const { Attributes = {}, MessageAttributes = {} } = message;
  const attributes = Object.entries(MessageAttributes).map(([name, value]) => {
    const { DataType: dataType = "String", StringValue: text, BinaryValue: bytes } = value;
    return [name, { dataType, text, bytes }] as const;
  });
  return {
    messageId: message.MessageId ?? "",
    receiptHandle: message.ReceiptHandle ?? "",
    body: message.Body ?? "",
    group: Attributes.MessageGroupId,
    attributes: Object.fromEntries(attributes),
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
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [name, toAttributeValue(value)]),
    ),
    ...(order && { MessageGroupId: order.group, MessageDeduplicationId: order.deduplicationId }),
  };
}

function toAttributeValue({ dataType, text, bytes }: HeldAttribute): MessageAttributeValue {
  return { DataType: dataType, StringValue: text, BinaryValue: bytes };
}
