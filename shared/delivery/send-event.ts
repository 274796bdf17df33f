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

/** Three short attempts: a queue that does not answer must not delay the others. */
export function createQueueClient(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 400, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
}

/** SQS deduplicates by the event's id for five minutes, so an event that is sent again after a crash arrives once. */
export function createEventSender(client: SQSClient): SendEvent {
  return async ({ queueUrl, ordered }, { event, eventId, type, group }) => {
    const typeAttribute: MessageAttributeValue = { DataType: "String", StringValue: type };
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: event,
      MessageAttributes: { type: typeAttribute },
      ...(ordered && { MessageGroupId: group, MessageDeduplicationId: eventId }),
    });
    await client.send(command, { abortSignal: AbortSignal.timeout(subscriberSendMilliseconds) });
  };
}
