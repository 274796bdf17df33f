import { type MessageAttributeValue, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import {
  deliveryPatienceMilliseconds,
  longestRetryMilliseconds,
  subscriberSendMilliseconds,
} from "../timing.ts";
import type { Subscriber } from "./subscriber.ts";

/** A stored event, and the subscribers that do not have it yet. */
interface PendingEvent {
  readonly event: string;
  readonly factId: string;
  readonly type: string;
  readonly group: string;
  readonly pending: readonly string[];
}

export interface Delivery {
  readonly delivered: readonly string[];
  readonly failures: readonly Failure[];
}

/** Why a subscriber does not have an event. */
export interface Failure {
  readonly subscriber: string;
  readonly errorName: string;
}

/**
 * Sends an event to all pending subscribers in parallel, once. A failed send does not delay the others.
 * processing/end-delivery.ts decides whether it is retried.
 */
export async function deliverEvent(
  { event, factId, type, group, pending }: PendingEvent,
  subscribers: readonly Subscriber[],
  sendEvent: SendEvent,
): Promise<Delivery> {
  const outgoing = { event, eventId: factId, type, group };
  const attempt = async (name: string): Promise<Failure | undefined> => {
    const to = subscribers.find((subscriber) => subscriber.name === name);
    if (to === undefined) return { subscriber: name, errorName: "NotConfigured" };
    try {
      await sendEvent(to, outgoing);
      return undefined;
    } catch (error) {
      return failureOf(name, error);
    }
  };
  const results = await Promise.all(pending.map(attempt));
  return {
    delivered: pending.filter((_name, index) => results[index] === undefined),
    failures: results.filter((result) => result !== undefined),
  };
}

function failureOf(subscriber: string, error: unknown): Failure {
  return { subscriber, errorName: error instanceof Error ? error.name : typeof error };
}

/** An event's final bytes, and the fields that SQS needs to send it. */
interface OutgoingEvent {
  readonly event: string;
  readonly eventId: string;
  readonly type: string;
  readonly group: string;
}

/** Rejects if the queue did not accept the event. */
type SendEvent = (subscriber: Subscriber, outgoing: OutgoingEvent) => Promise<void>;

export function createEventSender(client: SQSClient): SendEvent {
  return async (subscriber, outgoing) => {
    const message = queueMessage(subscriber, outgoing);
    const command = new SendMessageCommand({ QueueUrl: subscriber.queueUrl, ...message });
    await client.send(command, { abortSignal: AbortSignal.timeout(subscriberSendMilliseconds) });
  };
}

/**
 * An event as a subscriber's queue receives it, live or replayed. SQS deduplicates by the event's id for five minutes, so
 * an event that is sent again after a crash arrives once. The event's id is the id of its fact (facts/fact.ts).
 */
export function queueMessage(
  { ordered }: Subscriber,
  { event, eventId, type, group }: OutgoingEvent,
) {
  const typeAttribute: MessageAttributeValue = { DataType: "String", StringValue: type };
  return {
    MessageBody: event,
    MessageAttributes: { type: typeAttribute },
    ...(ordered && { MessageGroupId: group, MessageDeduplicationId: eventId }),
  };
}

/** Three short attempts, so that a slow queue does not delay the others. MD5 checks are off, as for the inbox. */
export function createQueueClient(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    md5: false,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 400, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
}

/**
 * The errors of SQS for a queue that does not exist, or whose KMS key is disabled, scheduled for deletion or deleted: first
 * the names of the JSON protocol, then those of the query protocol. Denied access is not listed, because IAM needs time
 * after a deployment.
 */
const goneErrors: ReadonlySet<string> = new Set([
  "QueueDoesNotExist",
  "KmsDisabled",
  "KmsInvalidState",
  "KmsNotFound",
  "AWS.SimpleQueueService.NonExistentQueue",
  "KMS.DisabledException",
  "KMS.InvalidStateException",
  "KMS.NotFoundException",
]);

/** Whether the queue is gone, rather than slow, throttled or without permission. */
export function isQueueGone({ errorName }: Failure): boolean {
  return goneErrors.has(errorName);
}

/** The subscribers whose queues fail, as this instance has seen them. */
interface FailingSubscribers {
  readonly note: (delivery: Delivery) => void;
  /** Whether the queue has failed for the whole patience. Each event then gets one attempt, until one succeeds. */
  readonly isHopeless: (subscriber: string) => boolean;
}

/** After a longer time without a failure, the queue may have worked in between, so the time starts again. */
const longestSilence = 2 * longestRetryMilliseconds;

/**
 * SQS allows 120,000 messages of a FIFO queue in flight, and a message that was returned is in flight until its pause ends.
 * If every event waited five minutes for a missing queue, a busy inbox would reach that limit.
 */
export function watchFailures(now: () => number): FailingSubscribers {
  const failing = new Map<string, { readonly since: number; readonly last: number }>();
  return {
    note: ({ delivered, failures }) => {
      for (const name of delivered) failing.delete(name);
      for (const { subscriber } of failures) {
        const known = failing.get(subscriber);
        const isSame = known !== undefined && now() - known.last <= longestSilence;
        failing.set(subscriber, { since: isSame ? known.since : now(), last: now() });
      }
    },
    isHopeless: (subscriber) => {
      const known = failing.get(subscriber);
      return known !== undefined && known.last - known.since >= deliveryPatienceMilliseconds;
    },
  };
}
