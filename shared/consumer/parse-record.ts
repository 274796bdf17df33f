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
  /** An operator sent the event again. It has the same `id` and content as the first time. */
  readonly isReplay: boolean;
  /** The run of the replay, for logs. */
  readonly replayRun: string | undefined;
  readonly messageId: string | undefined;
}

/**
 * Reads the event of an SQS message, in the spelling of Lambda or of an SDK. An SDK gives the attribute that marks a
 * replay only if it was asked for: `MessageAttributeNames: ["All"]`. Throws what `parseEvent` throws, with the
 * `messageId`, and `record-malformed` if it is no message or has no body.
 */
export function parseRecord(record: SqsRecord): ParsedRecord {
  // Code without types may pass anything, for example an element that is not there.
  if (typeof record !== "object" || record === null) {
    throw new PaycastEventError("record-malformed", "This is not a message of SQS.");
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
