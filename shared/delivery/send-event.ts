import { type MessageAttributeValue, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { subscriberSendMilliseconds } from "../timing.ts";
import type { Subscriber } from "./subscriber.ts";

/** An event's final bytes, and the fields that SQS needs to send it. */
interface OutgoingEvent {
  readonly event: string;
  readonly eventId: string;
  readonly type: string;
  readonly group: string;
}

/** Rejects if the queue did not accept the event. */
export type SendEvent = (subscriber: Subscriber, outgoing: OutgoingEvent) => Promise<void>;

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
 * an event that is sent again after a crash arrives once.
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
