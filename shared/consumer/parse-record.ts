import { PaycastEventError } from "./event-error.ts";
import { type PaycastEvent, parseEvent } from "./parse-event.ts";

/** A record of a Lambda's SQS event. `SQSRecord` of @types/aws-lambda fits. */
export interface LambdaRecord {
  readonly messageId?: string | undefined;
  readonly body: string;
  readonly messageAttributes?:
    | Readonly<Record<string, { readonly stringValue?: string | undefined } | undefined>>
    | undefined;
}

/** A message that an SDK received. `Message` of @aws-sdk/client-sqs fits. */
export interface SdkMessage {
  readonly MessageId?: string | undefined;
  readonly Body?: string | undefined;
  readonly MessageAttributes?:
    | Readonly<Record<string, { readonly StringValue?: string | undefined } | undefined>>
    | undefined;
}

export type SqsRecord = LambdaRecord | SdkMessage;

export interface ParsedRecord {
  readonly event: PaycastEvent;
  /** True if an operator replayed the event. It has the same `id` and content as the original. */
  readonly isReplay: boolean;
  /** The run of the replay, for logs. */
  readonly replayRun: string | undefined;
  readonly messageId: string | undefined;
}

/**
 * Reads the event of an SQS message, with the field names of Lambda or of an SDK. An SDK returns the attribute that marks
 * a replay only on request: `MessageAttributeNames: ["All"]`. Throws the errors of `parseEvent`, with the `messageId`, and
 * `record-malformed` if it is not a message or has no body.
 *
 * @example
 * ```ts
 * import { type LambdaRecord, parseRecord } from "paycast-events";
 *
 * export function handleRecord(record: LambdaRecord) {
 *   const { event, isReplay } = parseRecord(record);
 *   if (event.type === "payment.order.success") console.log(event.data.orderNo, isReplay);
 * }
 * ```
 */
export function parseRecord(record: SqsRecord): ParsedRecord {
  // JavaScript may pass anything, for example a missing element of a list.
  if (typeof record !== "object" || record === null) {
    throw new PaycastEventError("record-malformed", "This is not an SQS message.");
  }
  const { body, messageId, replayRun } = readSpelling(record);
  if (typeof body !== "string") {
    throw new PaycastEventError("record-malformed", "The message has no body.", { messageId });
  }
  try {
    const event = parseEvent(body);
    return { event, isReplay: replayRun !== undefined, replayRun, messageId };
  } catch (cause) {
    if (!(cause instanceof PaycastEventError)) throw cause;
    const { code, message, path } = cause;
    throw new PaycastEventError(code, message, { cause, path, messageId });
  }
}

function readSpelling(record: SqsRecord) {
  if ("body" in record) {
    const { body, messageId, messageAttributes } = record;
    return { body, messageId, replayRun: messageAttributes?.["replay"]?.stringValue };
  }
  const { Body, MessageId, MessageAttributes } = record;
  const replayRun = MessageAttributes?.["replay"]?.StringValue;
  return { body: Body, messageId: MessageId, replayRun };
}
