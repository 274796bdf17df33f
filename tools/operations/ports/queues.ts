import type { MessageAttributeValue, SendMessageBatchRequestEntry } from "@aws-sdk/client-sqs";
import type { Subscriber } from "../../../shared/delivery/subscriber.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { Unavailable } from "./available.ts";

export interface StackSubscriber extends Subscriber {
  readonly deadLettersUrl: string;
}

/** A message that was received and not deleted. Others do not see it until it is returned to the queue. */
export interface HeldMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Undefined on a queue without order. */
  readonly group: string | undefined;
  readonly attributes: MessageAttributes;
  /** On a FIFO queue: when it arrived in this queue. On a standard queue: when it was first sent. */
  readonly sentAtMilliseconds: number;
  /** How often it was received from this queue, including this time. */
  readonly receiveCount: number;
}

type MessageAttributes = Readonly<Record<string, MessageAttributeValue>>;

export interface OutgoingMessage {
  readonly body: string;
  readonly attributes: MessageAttributes;
  /** For a FIFO queue. */
  readonly order: { readonly group: string; readonly deduplicationId: string } | undefined;
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

/** The attributes of a queue, by the names of SQS. */
export type QueueAttributes = Readonly<Record<string, string>>;

/** Received messages are invisible to others for this time, or until they are returned. */
export const holdMilliseconds = 300_000;

/** A queue as an operator uses it. */
export interface MessageQueue {
  /** At most ten messages; none if no message can be received. */
  readonly receive: (how?: Receiving) => Promise<readonly HeldMessage[]>;
  readonly remove: (message: HeldMessage) => Promise<void>;
  /** Makes messages visible again. Returns how many could not be returned; they become visible when the hold ends. */
  readonly giveBack: (messages: readonly HeldMessage[]) => Promise<number>;
  readonly send: (message: OutgoingMessage) => Promise<void>;
  /** At most ten messages. Returns those that SQS rejected; throws if it rejected the whole call. */
  readonly sendBatch: (entries: readonly BatchEntry[]) => Promise<readonly RejectedEntry[]>;
  readonly count: () => Promise<QueueCount>;
  /** Undefined if the queue does not exist. */
  readonly attributes: () => Promise<QueueAttributes | undefined>;
  readonly arn: () => Promise<string>;
}

type BatchEntry = Omit<SendMessageBatchRequestEntry, "Id">;

interface RejectedEntry {
  /** Its place in the batch. */
  readonly index: number;
  readonly code: string;
  /** The same call would be rejected again. */
  readonly isLasting: boolean;
}

/** Since when each queue's oldest message waits, by URL, in milliseconds. */
export type OldestTimes = ReadonlyMap<string, number>;

/** The queues of the stack. */
export interface Queues {
  readonly inbox: { readonly url: string; readonly deadLettersUrl: string };
  readonly subscribers: readonly StackSubscriber[];
  /** The URL of the queue of captured envelopes. */
  readonly captured: { readonly url: string } | Unavailable;
  readonly open: (url: string, hold?: number) => MessageQueue;
  /** Times, not ages: they stay the same between reads. A queue without a known time is omitted. */
  readonly oldestTimes: (urls: readonly string[]) => Promise<OldestTimes>;
  /** The bodies of all messages of a queue, in their order. It takes nothing away from a consumer. */
  readonly peek: ((url: string) => Promise<readonly string[]>) | Unavailable;
}

/** Throws `not-found`, with the names that there are. */
export function findSubscriber(
  { subscribers }: Pick<Queues, "subscribers">,
  name: string,
): StackSubscriber {
  const found = subscribers.find((subscriber) => subscriber.name === name);
  if (found !== undefined) return found;
  const names = subscribers.map((subscriber) => subscriber.name).join(", ");
  throw new PaycastError(
    "not-found",
    `The stack has no subscriber of that name. It has: ${names}.`,
  );
}

/** The error of SQS if a queue does not exist, in either of its protocols. */
export function isQueueMissing(error: unknown): boolean {
  return error instanceof Error && /QueueDoesNotExist|NonExistentQueue/.test(error.name);
}

/** What is delayed waits, too. */
export function countIn(attributes: QueueAttributes): QueueCount {
  const count = (end: string) => Number(attributes[`ApproximateNumberOfMessages${end}`] ?? 0);
  return { waiting: count("") + count("Delayed"), inFlight: count("NotVisible") };
}

export function queueNameOf(url: string): string {
  return new URL(url).pathname.split("/").at(-1) ?? "";
}
