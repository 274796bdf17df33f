import { type MessageAttributeValue, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Delivery, OutgoingEvent, SendEvent, SendInTime } from "./delivery.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { Subscriber } from "./subscriber.ts";

/** A stored event, and the subscribers that do not have it yet. */
interface PendingEvent {
  readonly event: string;
  readonly factId: string;
  readonly type: string;
  readonly group: string;
  readonly pending: readonly string[];
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
    if (to === undefined) return notConfigured(name);
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

function notConfigured(subscriber: string): Failure {
  return { subscriber, errorName: "NotConfigured", kind: "refused" };
}

export function createEventSender(client: SQSClient): SendInTime {
  return async (subscriber, outgoing, limitMilliseconds) => {
    const message = queueMessage(subscriber, outgoing);
    const command = new SendMessageCommand({ QueueUrl: subscriber.queueUrl, ...message });
    const abortSignal = AbortSignal.timeout(limitMilliseconds);
    try {
      await client.send(command, { abortSignal });
    } catch (error) {
      throw abortSignal.aborted ? abortSignal.reason : error;
    }
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
