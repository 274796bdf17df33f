import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageCommand,
} from "@aws-sdk/client-sqs";
import { stoppedOrLate } from "../stopped-or-late.ts";
import type { Target } from "../target/target.ts";

/** A message that was received and not deleted. Others do not see it until it is returned to the queue. */
export interface HeldMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Undefined on a queue without order. */
  readonly group: string | undefined;
  readonly attributes: Attributes;
  /** On a FIFO queue: when it arrived in this queue. On a standard queue: when it was first sent. */
  readonly sentAtMilliseconds: number;
  /** How often it was received from this queue, including this time. */
  readonly receiveCount: number;
}

type Attributes = Readonly<Record<string, MessageAttributeValue>>;

/** Received messages are invisible to others for this time, or until they are returned. */
export const holdMilliseconds = 300_000;
const callMilliseconds = 20_000;
const countMilliseconds = 10_000;

/** The error of SQS if a queue does not exist, in either of its protocols. */
export function isQueueMissing(error: unknown): boolean {
  return error instanceof Error && /QueueDoesNotExist|NonExistentQueue/.test(error.name);
}

/** As SQS counts, which is approximate. */
export interface QueueCount {
  readonly waiting: number;
  /** Received and not deleted yet. */
  readonly inFlight: number;
}

interface Receiving {
  /** A long poll queries all servers of SQS; a short one may miss messages. */
  readonly waitSeconds?: number;
  /** Ends the wait. SQS may have handed out messages by then: they become visible when the hold ends. */
  readonly stopped?: AbortSignal;
}

/** A queue as an operator uses it. */
export interface MessageQueue {
  /** At most ten messages; none if no message can be received. */
  readonly receive: (how?: Receiving) => Promise<readonly HeldMessage[]>;
  readonly remove: (message: HeldMessage) => Promise<void>;
  /** Makes messages visible again. Returns how many could not be returned; they become visible when the hold ends. */
  readonly giveBack: (messages: readonly HeldMessage[]) => Promise<number>;
  readonly send: (message: OutgoingMessage) => Promise<void>;
  readonly count: () => Promise<QueueCount>;
  readonly arn: () => Promise<string>;
}

interface OutgoingMessage {
  readonly body: string;
  readonly attributes: Attributes;
  /** For a FIFO queue. */
  readonly order: { readonly group: string; readonly deduplicationId: string } | undefined;
}

export function openQueue(
  { clients: { sqs } }: Pick<Target, "clients">,
  QueueUrl: string,
  hold = holdMilliseconds,
): MessageQueue {
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
    count: async () => countIn(await attributes()),
    arn: async () => (await attributes()).QueueArn ?? "",
  };
}

/** What is delayed waits, too. */
export function countIn(attributes: Readonly<Record<string, string>>): QueueCount {
  const count = (end: string) => Number(attributes[`ApproximateNumberOfMessages${end}`] ?? 0);
  return { waiting: count("") + count("Delayed"), inFlight: count("NotVisible") };
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
