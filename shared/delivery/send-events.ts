import {
  type MessageAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchCommandOutput,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { attemptLimits, leanSettings, withoutLogger } from "../aws-client.ts";
import { queueTooSlow, tryInTime } from "../in-time.ts";
import type { OutgoingEvent, SendEvents, SendResult, SendResults } from "./delivery.ts";
import { failureOf, RejectedEntry } from "./failure.ts";
import type { Subscriber } from "./subscriber.ts";

/**
 * Sends one event by `SendMessage` and several by `SendMessageBatch`, within one time limit. What may pass alone after
 * it failed in a batch is then sent alone.
 */
export function createEventSender(client: SQSClient): SendEvents {
  return async (subscriber, events, limitMilliseconds) => {
    const endsAt = performance.now() + limitMilliseconds;
    const remaining = () => endsAt - performance.now();
    const inLimit = <T>(call: () => Promise<T>) => tryInTime(remaining(), queueTooSlow, call);
    const sendAlone = async (event: OutgoingEvent): Promise<SendResult> =>
      await inLimit(() => client.send(commandFor(subscriber, event))).then(
        () => "accepted",
        asError,
      );
    const [first, ...others] = events;
    if (first === undefined) return new Map();
    if (others.length === 0) return new Map([[first, await sendAlone(first)]]);
    const together = await inLimit(() => client.send(batchFor(subscriber, events))).then(
      (output) => resultsOf(events, output),
      (error: unknown) => new Map(events.map((event) => [event, asError(error)])),
    );
    const settle = async (event: OutgoingEvent) => {
      const result = together.get(event) ?? new RejectedEntry(undefined);
      const isOver = result === "accepted" || !mayPassAlone(result) || remaining() <= 0;
      return [event, isOver ? result : await sendAlone(event)] as const;
    };
    return new Map(await Promise.all(events.map(settle)));
  };
}

/** SQS failed on this entry, or refused the batch as a whole, perhaps because of another entry or its size. */
function mayPassAlone(error: Error): boolean {
  const { kind } = failureOf("", error);
  return error instanceof RejectedEntry ? kind === "failed" : kind === "refused";
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function commandFor(subscriber: Subscriber, event: OutgoingEvent): SendMessageCommand {
  const message = queueMessage(subscriber, event);
  return new SendMessageCommand({ QueueUrl: subscriber.queueUrl, ...message });
}

function batchFor(
  subscriber: Subscriber,
  events: readonly OutgoingEvent[],
): SendMessageBatchCommand {
  const messages = events.map((event) => queueMessage(subscriber, event));
  const Entries = messages.map((message, index) => ({ Id: `${index}`, ...message }));
  return new SendMessageBatchCommand({ QueueUrl: subscriber.queueUrl, Entries });
}

/** What SQS says of each entry. One that it does not mention counts as rejected. */
function resultsOf(
  events: readonly OutgoingEvent[],
  { Successful = [], Failed = [] }: SendMessageBatchCommandOutput,
): SendResults {
  const accepted = new Set(Successful.map(({ Id }) => Id));
  const resultOf = (id: string) =>
    accepted.has(id) ? "accepted" : new RejectedEntry(Failed.find(({ Id }) => Id === id));
  return new Map(events.map((event, index) => [event, resultOf(`${index}`)]));
}

/**
 * An event as a subscriber's queue receives it, live or replayed. SQS deduplicates by the event's id for five minutes, so
 * an event that is sent again after a crash arrives once. The event's id is the id of its fact (facts/fact.ts).
 */
export function queueMessage(
  { ordered }: Pick<Subscriber, "ordered">,
  { event, eventId, type, group }: OutgoingEvent,
) {
  const typeAttribute: MessageAttributeValue = { DataType: "String", StringValue: type };
  return {
    MessageBody: event,
    MessageAttributes: { type: typeAttribute },
    ...(ordered && { MessageGroupId: group, MessageDeduplicationId: eventId }),
  };
}

/** Short attempts, so that a slow queue does not delay the others. MD5 checks are off, as for the inbox. */
export function createQueueClient(): SQSClient {
  return withoutLogger(
    new SQSClient({
      useQueueUrlAsEndpoint: false,
      md5: false,
      ...leanSettings,
      requestHandler: attemptLimits(1_000),
    }),
  );
}
