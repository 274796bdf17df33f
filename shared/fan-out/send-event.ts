import { type MessageAttributeValue, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Subscriber } from "./subscriber.ts";

/** An event's frozen bytes with what SQS needs to know of it. */
interface Outgoing {
  readonly event: string;
  readonly eventId: string;
  readonly type: string;
  readonly group: string;
}

export type SendEvent = (subscriber: Subscriber, outgoing: Outgoing) => Promise<void>;

const deadlineMilliseconds = 3_300;

/** Three attempts, short: a queue that does not answer must not hold up the others. */
export function createSubscriberClient(): SQSClient {
  return new SQSClient({
    useQueueUrlAsEndpoint: false,
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 400, requestTimeout: 1_000, throwOnRequestTimeout: true },
  });
}

/** The event's id deduplicates within SQS's five minutes: a repeat after a crash arrives once. */
export function createEventSender(client = createSubscriberClient()): SendEvent {
  return async ({ queueUrl, ordered }, { event, eventId, type, group }) => {
    const typeAttribute: MessageAttributeValue = { DataType: "String", StringValue: type };
    const command = new SendMessageCommand({
      QueueUrl: queueUrl,
      MessageBody: event,
      MessageAttributes: { type: typeAttribute },
      ...(ordered && { MessageGroupId: group, MessageDeduplicationId: eventId }),
    });
    await client.send(command, { abortSignal: AbortSignal.timeout(deadlineMilliseconds) });
  };
}
