import { type MessageAttributeValue, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import {
  deliveryPatienceMilliseconds,
  longestRetryMilliseconds,
  subscriberSendMilliseconds,
} from "../timing.ts";
import type { Subscriber } from "./subscriber.ts";

/** A recorded event, and the subscribers that have not got it yet. */
interface PendingEvent {
  readonly event: string;
  readonly factId: string;
  readonly type: string;
  readonly group: string;
  readonly pending: readonly string[];
}

/** Why a subscriber has not got an event. */
export interface Failure {
  readonly subscriber: string;
  readonly errorName: string;
}

export interface Delivery {
  readonly delivered: readonly string[];
  readonly failures: readonly Failure[];
}

/**
 * Sends to all pending subscribers in parallel. A send that fails does not delay the others; process-callback tries it
 * again for `deliveryPatienceMilliseconds`, or for `deliveryTrialMilliseconds` if the queue is gone.
 */
export async function deliverEvent(
  { event, factId, type, group, pending }: PendingEvent,
  subscribers: readonly Subscriber[],
  sendEvent: SendEvent,
): Promise<Delivery> {
  const outgoing = { event, eventId: factId, type, group };
  const results = await Promise.all(
    pending.map(async (name) => {
      const to = subscribers.find((subscriber) => subscriber.name === name);
      if (to === undefined) return { subscriber: name, errorName: "NotConfigured" };
      return await sendEvent(to, outgoing).then(
        () => name,
        (error: unknown) => failureOf(name, error),
      );
    }),
  );
  return {
    delivered: results.filter((result) => typeof result === "string"),
    failures: results.filter((result) => typeof result !== "string"),
  };
}

function failureOf(subscriber: string, error: unknown): Failure {
  return { subscriber, errorName: error instanceof Error ? error.name : typeof error };
}

/**
 * What SQS answers if a queue does not exist, or if its KMS key is disabled, scheduled for deletion or deleted: the names
 * of the JSON protocol, then those of the query protocol. Denied access is not among them: after a deployment IAM needs
 * some time.
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

/** Whether the queue is gone, rather than closed, slow or throttled. */
export function isQueueGone({ errorName }: Failure): boolean {
  return goneErrors.has(errorName);
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

/** Three short attempts: a queue that does not answer must not delay the others. No check of MD5s, as for the inbox. */
export function createQueueClient(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    md5: false,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 400, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
}

export function createEventSender(client: SQSClient): SendEvent {
  return async (subscriber, outgoing) => {
    const message = queueMessage(subscriber, outgoing);
    const command = new SendMessageCommand({ QueueUrl: subscriber.queueUrl, ...message });
    await client.send(command, { abortSignal: AbortSignal.timeout(subscriberSendMilliseconds) });
  };
}

/**
 * An event as the subscriber's queue gets it, live or replayed. SQS deduplicates by the event's id for five minutes, so
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

/** What this instance has seen of the subscribers whose queues refuse events. */
interface RefusingSubscribers {
  readonly note: (delivery: Delivery) => void;
  /** Whether the queue has refused for the whole patience. Then each further event gets one try, until one succeeds. */
  readonly isHopeless: (subscriber: string) => boolean;
}

/** Without a refusal for this long, nobody knows what the queue would have done meanwhile. */
const longestSilence = 2 * longestRetryMilliseconds;

/**
 * SQS lets 120,000 messages of a FIFO queue be in flight, and messages that are given back are in flight until their
 * pause ends. If every event waited five minutes for a queue that is gone, a busy inbox would reach that limit.
 */
export function watchRefusals(now: () => number): RefusingSubscribers {
  const refusals = new Map<string, { readonly since: number; readonly last: number }>();
  return {
    note: ({ delivered, failures }) => {
      for (const name of delivered) refusals.delete(name);
      for (const { subscriber } of failures) {
        const known = refusals.get(subscriber);
        const isSame = known !== undefined && now() - known.last <= longestSilence;
        refusals.set(subscriber, { since: isSame ? known.since : now(), last: now() });
      }
    },
    isHopeless: (subscriber) => {
      const known = refusals.get(subscriber);
      return known !== undefined && known.last - known.since >= deliveryPatienceMilliseconds;
    },
  };
}
