import { randomUUID } from "node:crypto";
import { AwsError } from "../aws-error.ts";
import { localAccountId, localRegion } from "../local-account.ts";
import { type Message, messageIdOf, receiptHandleOf } from "./message.ts";
import type { QueueAttributes } from "./queue-attributes.ts";

/** A message that was sent under a deduplication id. */
interface Sent {
  readonly id: string;
  readonly sequenceNumber?: string | undefined;
  readonly atMilliseconds: number;
}

/** As ListMessageMoveTasks returns it. A task ends before the call that starts it returns, so none is ever running. */
interface MoveTask {
  readonly Status: "COMPLETED" | "FAILED";
  readonly SourceArn: string;
  readonly DestinationArn: string | undefined;
  readonly ApproximateNumberOfMessagesMoved: number;
  readonly ApproximateNumberOfMessagesToMove: number;
  readonly FailureReason: string | undefined;
  readonly StartedTimestamp: number;
}

export interface Queue {
  readonly name: string;
  readonly arn: string;
  attributes: QueueAttributes;
  readonly createdAtMilliseconds: number;
  changedAtMilliseconds: number;
  /** By id, in the order of arrival. */
  readonly messages: Map<string, Message>;
  /** The deduplication ids that a FIFO queue remembers, by scope and id, oldest first. */
  readonly sent: Map<string, Sent>;
  lastSequence: number;
  /** The move tasks out of this queue, newest first. */
  readonly moveTasks: MoveTask[];
  /** CloudWatch's counts, since this start created the queue. */
  readonly counted: { sent: number; received: number; emptyReceives: number; deleted: number };
  /** Receives that wait for a message. */
  readonly waiting: Set<() => void>;
}

export function arnOf(queueName: string): string {
  return `arn:aws:sqs:${localRegion}:${localAccountId}:${queueName}`;
}

export function isFifo({ attributes }: Queue): boolean {
  return attributes.FifoQueue === "true";
}

/** Appends a message to a queue, with a new id unless it keeps its own. */
export function append(
  queue: Queue,
  message: Omit<Message, "id" | "sequenceNumber">,
  id: string = randomUUID(),
): Message {
  queue.lastSequence += 1;
  const sequence = String(queue.lastSequence).padStart(20, "0");
  const sequenceNumber = isFifo(queue) ? sequence : undefined;
  const appended = { ...message, id, sequenceNumber };
  queue.messages.set(id, appended);
  wake(queue);
  return appended;
}

export function isInFlight(message: Message, now: number): boolean {
  return message.receiveCount > 0 && message.visibleAtMilliseconds > now;
}

export function isDelayed(message: Message, now: number): boolean {
  return message.receiveCount === 0 && message.visibleAtMilliseconds > now;
}

/** The messages within the retention period. */
export function held({ messages, attributes }: Queue, now: number): Message[] {
  const oldest = now - Number(attributes.MessageRetentionPeriod) * 1_000;
  for (const { id, sentAtMilliseconds } of messages.values()) {
    if (sentAtMilliseconds <= oldest) messages.delete(id);
  }
  return [...messages.values()];
}

/**
 * The messages that a receive may return, in order. FIFO: as many as possible of one group, then of the next. A group
 * with a message in flight returns nothing.
 */
export function available(queue: Queue, now: number): Message[] {
  const all = held(queue, now);
  const visible = all.filter(({ visibleAtMilliseconds }) => visibleAtMilliseconds <= now);
  if (!isFifo(queue)) return visible;
  const groups = new Map<string | undefined, Message[]>();
  for (const message of visible) {
    const group = groups.get(message.groupId);
    if (group === undefined) groups.set(message.groupId, [message]);
    else group.push(message);
  }
  for (const message of all) if (isInFlight(message, now)) groups.delete(message.groupId);
  return [...groups.values()].flat();
}

/**
 * Deleting twice is not an error. With an older handle, a standard queue deletes nothing and a FIFO queue returns an
 * error.
 */
export function remove(queue: Queue, receiptHandle: string, now: number): void {
  const message = queue.messages.get(messageIdOf(receiptHandle));
  if (message === undefined) return;
  const isLast = receiptHandle === receiptHandleOf(message);
  if (isFifo(queue) && !(isLast && isInFlight(message, now))) throw expired(receiptHandle);
  if (isLast) queue.messages.delete(message.id);
  wake(queue);
}

export function changeVisibility(
  queue: Queue,
  receiptHandle: string,
  seconds: number,
  now: number,
): void {
  const message = queue.messages.get(messageIdOf(receiptHandle));
  if (message === undefined || receiptHandle !== receiptHandleOf(message)) {
    throw expired(receiptHandle);
  }
  if (!isInFlight(message, now)) {
    throw new AwsError("MessageNotInflight", "The message referred to isn't in flight.");
  }
  message.visibleAtMilliseconds = now + seconds * 1_000;
  wake(queue);
}

export function wake({ waiting }: Queue): void {
  for (const goOn of waiting) goOn();
}

function expired(receiptHandle: string): AwsError {
  const reason = "Reason: The receipt handle has expired.";
  const message = `Value ${receiptHandle} for parameter ReceiptHandle is invalid. ${reason}`;
  return new AwsError("InvalidParameterValue", message);
}
