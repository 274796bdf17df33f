import * as z from "zod/mini";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { readInboxBody } from "../../../shared/inbox/inbox-body.ts";
import { readInboxMessage, subjectOfMessage } from "../../../shared/inbox/inbox-message.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { findSubscriber, type HeldMessage, type MessageQueue } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { lookAtQueue, type WalkOptions } from "../queues/walk-queue.ts";
import {
  type DeadLetter,
  type DeadLetterList,
  inboxName,
  type ShownDeadLetter,
} from "./dead-letter.ts";
import { foreignTo } from "./foreign-letters.ts";

/** A list with its messages, so that showing one needs no second read. */
export interface DeadLetterLook {
  readonly list: DeadLetterList;
  readonly shown: readonly ShownDeadLetter[];
}

/** Looks at dead letters. It counts as a receive of each message. */
export async function lookAtDeadLetters(
  target: Pick<Target, "records" | "queues">,
  name: string,
  options: WalkOptions = {},
): Promise<DeadLetterLook> {
  const { deadLetters } = openLetters(target, name);
  const { waiting, inFlight } = await deadLetters.count();
  const seen: HeldMessage[] = [];
  const see = (message: HeldMessage) => void seen.push(message);
  const { end, notReturned } = await lookAtQueue(deadLetters, see, options);
  const shown = await toShown(target, name, seen);
  shown.sort((left, right) => left.sentAt.localeCompare(right.sentAt));
  const letters = shown.map(withoutContent);
  const total = Math.max(waiting + inFlight, letters.length);
  const list = { queue: name, letters, total, stopped: end === "stopped", notReturned };
  return { list, shown };
}

export function withoutContent(shown: ShownDeadLetter): DeadLetter {
  const { body: _body, attributes: _attributes, ...letter } = shown;
  return letter;
}

/** A queue with its dead letters: a subscriber's, or the inbox. */
export interface LetterQueues {
  readonly name: string;
  readonly ordered: boolean;
  readonly queue: MessageQueue;
  readonly deadLetters: MessageQueue;
}

/** Throws `not-found` if the stack has no such subscriber. */
export function openLetters(target: Pick<Target, "queues">, name: string): LetterQueues {
  const { url, deadLettersUrl, ordered } = queuesOf(target, name);
  return {
    name,
    ordered,
    queue: target.queues.open(url),
    deadLetters: target.queues.open(deadLettersUrl),
  };
}

function queuesOf(target: Pick<Target, "queues">, name: string) {
  if (name === inboxName) return { ...target.queues.inbox, ordered: true };
  const { queueUrl: url, deadLettersUrl, ordered } = findSubscriber(target.queues, name);
  return { url, deadLettersUrl, ordered };
}

/** Dead letters may be anything that an authorized sender or another queue has put there. */
function toDeadLetter(queue: string, message: HeldMessage, foreign: boolean): DeadLetter {
  const { messageId, receiveCount } = message;
  const content = queue === inboxName ? inboxContent(message.body) : eventContent(message.body);
  return {
    messageId,
    ...content,
    reason: reasonOf(message),
    foreign,
    sentAt: toRfc3339(message.sentAtMilliseconds),
    receiveCount,
  };
}

/** Why process-callback put it there. */
export function reasonOf({ attributes }: HeldMessage): string | undefined {
  return attributes["reason"]?.StringValue;
}

/** With what the records say about each of them. */
export async function toShown(
  target: Pick<Target, "records">,
  queue: string,
  messages: readonly HeldMessage[],
): Promise<ShownDeadLetter[]> {
  const isForeign = foreignTo(target, queue);
  return await fewAtOnce(messages, async (message) => {
    const { body } = message;
    const letter = toDeadLetter(queue, message, await isForeign(body));
    return { ...letter, attributes: textsOf(message), body };
  });
}

function textsOf({ attributes }: HeldMessage): Record<string, string> {
  const texts = Object.entries(attributes).map(
    ([attribute, { DataType, StringValue }]) =>
      [attribute, StringValue ?? `(${DataType})`] as const,
  );
  return Object.fromEntries(texts);
}

const eventFields = z.object({
  id: z.optional(z.string()),
  type: z.optional(z.string()),
  subject: z.optional(z.string()),
  sequence: z.optional(z.string()),
  time: z.optional(z.string()),
});

function eventContent(body: string): Partial<DeadLetter> {
  const read = eventFields.safeParse(parseJson(body));
  if (!read.success) return {};
  const { id: eventId, type, subject, sequence, time } = read.data;
  return { eventId, type, subject, sequence, time };
}

/** Shown as it claims to be: only process-callback checks stamps. */
function inboxContent(text: string): Partial<DeadLetter> {
  const body = readInboxBody(text);
  if (body.kind === "redrive") return { type: "redrive" };
  if (body.kind === "unstamped") return {};
  try {
    const message = readInboxMessage(body.stamped.message);
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
