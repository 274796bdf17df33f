import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import { toRfc3339 } from "../../shared/time/timestamp.ts";
import type { Target } from "../target/target.ts";
import type { HeldMessage } from "./held-message.ts";
import { chooseByPrefix } from "./message-ids.ts";
import { openSubscriber } from "./subscriber-queues.ts";
import { lookAtQueue, type WalkOptions } from "./walk-queue.ts";

/** An event in a subscriber's dead letters. Fields of the event are undefined if the body is not an event. */
export interface DeadLetter {
  readonly messageId: string;
  readonly eventId: string | undefined;
  readonly type: string | undefined;
  readonly subject: string | undefined;
  readonly sequence: string | undefined;
  readonly time: string | undefined;
  readonly sentAt: string;
  readonly receiveCount: number;
}

export interface DeadLetterList {
  readonly subscriber: string;
  readonly letters: readonly DeadLetter[];
  /** How many the queue holds, by SQS's approximate count; at least those that were seen. */
  readonly total: number;
  readonly stopped: boolean;
  readonly notGivenBack: number;
}

/** Looks at a subscriber's dead letters, oldest first. It counts as a receive of each message. */
export async function listDeadLetters(
  target: Target,
  name: string,
  options: WalkOptions = {},
): Promise<DeadLetterList> {
  return (await lookAtDeadLetters(target, name, options)).list;
}

/** A list, and the events in it, so that nobody has to look again to show one. */
export interface DeadLetterLook {
  readonly list: DeadLetterList;
  readonly shown: readonly ShownDeadLetter[];
}

export async function lookAtDeadLetters(
  target: Target,
  name: string,
  options: WalkOptions = {},
): Promise<DeadLetterLook> {
  const { deadLetters } = openSubscriber(target, name);
  const { visible, inFlight } = await deadLetters.count();
  const shown: ShownDeadLetter[] = [];
  const see = (message: HeldMessage) => void shown.push(toShown(message));
  const { end, notGivenBack } = await lookAtQueue(deadLetters, see, options);
  shown.sort((one, other) => one.sentAt.localeCompare(other.sentAt));
  const letters = shown.map(({ body: _body, attributes: _attributes, ...letter }) => letter);
  const total = Math.max(visible + inFlight, letters.length);
  const list = { subscriber: name, letters, total, stopped: end === "stopped", notGivenBack };
  return { list, shown };
}

export interface ShownDeadLetter extends DeadLetter {
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One dead letter with its event; `id` may be the beginning of a message id. Throws `not-found` or `ambiguous-id`. */
export async function showDeadLetter(
  target: Target,
  name: string,
  id: string,
  options: WalkOptions = {},
): Promise<ShownDeadLetter> {
  const { deadLetters } = openSubscriber(target, name);
  const messages: HeldMessage[] = [];
  await lookAtQueue(deadLetters, (message) => void messages.push(message), options);
  options.stopped?.throwIfAborted();
  return toShown(chooseByPrefix(messages, id, ({ messageId }) => messageId));
}

function toShown(message: HeldMessage): ShownDeadLetter {
  const attributes = Object.entries(message.attributes).map(
    ([attribute, { dataType, text }]) => [attribute, text ?? `(${dataType})`] as const,
  );
  const { body } = message;
  return { ...toDeadLetter(message), attributes: Object.fromEntries(attributes), body };
}

const eventFields = z.object({
  id: z.optional(z.string()),
  type: z.optional(z.string()),
  subject: z.optional(z.string()),
  sequence: z.optional(z.string()),
  time: z.optional(z.string()),
});

/** The queue's policy lets nobody else send, but a person with rights may have put anything there. */
export function toDeadLetter(message: HeldMessage): DeadLetter {
  const { messageId, receiveCount } = message;
  const read = eventFields.safeParse(parseJson(message.body));
  const event = read.success ? read.data : {};
  return {
    messageId,
    eventId: event.id,
    type: event.type,
    subject: event.subject,
    sequence: event.sequence,
    time: event.time,
    sentAt: toRfc3339(message.sentAtMilliseconds),
    receiveCount,
  };
}
