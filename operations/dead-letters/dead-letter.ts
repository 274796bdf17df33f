import * as z from "zod/mini";
import { readInboxMessage, subjectOfMessage } from "../../shared/inbox/inbox-message.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import { attributeText, type HeldMessage } from "./held-message.ts";
import { inboxName } from "./open-letters.ts";

/** A message in dead letters: an event that a consumer failed on, or a message of the inbox that has no record. */
export interface DeadLetter {
  readonly messageId: string;
  readonly eventId: string | undefined;
  /** Undefined if it is neither an event nor a callback. */
  readonly type: string | undefined;
  /** The order or payment that it is about. */
  readonly subject: string | undefined;
  readonly sequence: string | undefined;
  readonly time: string | undefined;
  /** Why Paycast put it here; SQS tells no reason. */
  readonly reason: string | undefined;
  readonly sentAt: string;
  readonly receiveCount: number;
}

export interface ShownDeadLetter extends DeadLetter {
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The queue's policy lets nobody else send, but a person with rights may have put anything there. */
export function toDeadLetter(queue: string, message: HeldMessage): DeadLetter {
  const { messageId, receiveCount } = message;
  const content = queue === inboxName ? inboxContent(message.body) : eventContent(message.body);
  return {
    messageId,
    ...nothingKnown,
    ...content,
    reason: attributeText(message, "reason"),
    sentAt: toRfc3339(message.sentAtMilliseconds),
    receiveCount,
  };
}

export function toShown(queue: string, message: HeldMessage): ShownDeadLetter {
  const attributes = Object.entries(message.attributes).map(
    ([attribute, { dataType, text }]) => [attribute, text ?? `(${dataType})`] as const,
  );
  const { body } = message;
  return { ...toDeadLetter(queue, message), attributes: Object.fromEntries(attributes), body };
}

const eventFields = z.object({
  id: z.optional(z.string()),
  type: z.optional(z.string()),
  subject: z.optional(z.string()),
  sequence: z.optional(z.string()),
  time: z.optional(z.string()),
});

const nothingKnown = {
  eventId: undefined,
  type: undefined,
  subject: undefined,
  sequence: undefined,
  time: undefined,
};

function eventContent(body: string): Partial<DeadLetter> {
  const read = eventFields.safeParse(parseJson(body));
  if (!read.success) return {};
  const { id: eventId, type, subject, sequence, time } = read.data;
  return { eventId, type, subject, sequence, time };
}

function inboxContent(body: string): Partial<DeadLetter> {
  try {
    const message = readInboxMessage(body);
    const subject = subjectOfMessage(message);
    return {
      type: message.origin === "callback" ? message.eventName : "query",
      subject: subject?.kind === "order" ? subject.orderNo : subject?.paymentId,
      time: toRfc3339(message.receivedAtMilliseconds),
    };
  } catch (error) {
    if (error instanceof PaycastError) return {};
    throw error;
  }
}
