import { hexOf } from "./hex-of.ts";
import type { KnownEvent } from "./typed-events.ts";

/** How the message was sent and received. */
interface Sending {
  /** For a replayed event: the run that sent it. */
  readonly replayRun?: string;
  /** How often the message was received, including this time. */
  readonly receiveCount?: number;
}

/**
 * Wraps an event as an element of a Lambda's `Records`.
 *
 * @example
 * ```ts
 * import { handleBatch } from "paycast-events";
 * import { testEvent, testRecord } from "paycast-events/testing";
 *
 * const Records = [testRecord(testEvent("payment.order.success"), { receiveCount: 8 })];
 * console.log(await handleBatch({ Records }, () => {})); // { batchItemFailures: [] }
 * ```
 */
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

/**
 * Wraps an event as an element of `Messages` that an SDK receives.
 *
 * @example
 * ```ts
 * import { parseRecord } from "paycast-events";
 * import { testEvent, testMessage } from "paycast-events/testing";
 *
 * const replayed = testMessage(testEvent("payment.refund.success"), { replayRun: "run-1" });
 * console.log(parseRecord(replayed).isReplay); // true
 * ```
 */
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

/** A UUID, the format of SQS's message ids. */
function messageIdOf({ id }: KnownEvent): string {
  return hexOf(id).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
