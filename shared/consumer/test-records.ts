import { hexOf } from "./hex-of.ts";
import type { KnownEvent } from "./typed-events.ts";

/** How the message comes. */
interface Sending {
  /** For a replayed event: the run that sent it. */
  readonly replayRun?: string;
  /** How often the message was received, this time included. */
  readonly receiveCount?: number;
}

/** An event as a Lambda gets it from its queue, in `Records`. */
export function testRecord(event: KnownEvent, { replayRun, receiveCount = 1 }: Sending = {}) {
  const attribute = (stringValue: string) => ({ stringValue, dataType: "String" as const });
  return {
    messageId: messageIdOf(event),
    receiptHandle: "test",
    body: JSON.stringify(event),
    attributes: {
      ApproximateReceiveCount: String(receiveCount),
      SentTimestamp: String(Date.parse(event.time)),
      SenderId: "test",
      ApproximateFirstReceiveTimestamp: String(Date.parse(event.time)),
      MessageGroupId: event.partitionkey,
      MessageDeduplicationId: event.id,
    },
    messageAttributes: attributesOf(event, replayRun, attribute),
    md5OfBody: "test",
    eventSource: "aws:sqs",
    awsRegion: "eu-west-1",
    eventSourceARN: "arn:aws:sqs:eu-west-1:123456789012:test.fifo",
  };
}

/** An event as an SDK receives it from the queue, in `Messages`. */
export function testMessage(event: KnownEvent, { replayRun, receiveCount = 1 }: Sending = {}) {
  const attribute = (StringValue: string) => ({ StringValue, DataType: "String" });
  return {
    MessageId: messageIdOf(event),
    ReceiptHandle: "test",
    Body: JSON.stringify(event),
    Attributes: {
      ApproximateReceiveCount: String(receiveCount),
      MessageGroupId: event.partitionkey,
      MessageDeduplicationId: event.id,
    },
    MessageAttributes: attributesOf(event, replayRun, attribute),
  };
}

function attributesOf<A>(
  { type }: KnownEvent,
  replayRun: string | undefined,
  attribute: (value: string) => A,
): Record<string, A> {
  const live = { type: attribute(type) };
  return replayRun === undefined ? live : { ...live, replay: attribute(replayRun) };
}

/** In the form of a UUID, as SQS makes them. */
function messageIdOf({ id }: KnownEvent): string {
  return hexOf(id).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
