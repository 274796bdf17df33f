import type { Target } from "../target/target.ts";
import { type DeadLetter, type ShownDeadLetter, toShown } from "./dead-letter.ts";
import type { HeldMessage } from "./held-message.ts";
import { openLetters } from "./open-letters.ts";
import { lookAtQueue, type WalkOptions } from "./walk-queue.ts";

export interface DeadLetterList {
  /** The subscriber, or "inbox". */
  readonly queue: string;
  /** Oldest first. */
  readonly letters: readonly DeadLetter[];
  /** How many the queue holds, by SQS's approximate count; at least those that were seen. */
  readonly total: number;
  readonly stopped: boolean;
  readonly notGivenBack: number;
}

/** A list, and the messages in it, so that nobody has to look again to show one. */
export interface DeadLetterLook {
  readonly list: DeadLetterList;
  readonly shown: readonly ShownDeadLetter[];
}

/** Looks at dead letters. It counts as a receive of each message. */
export async function lookAtDeadLetters(
  target: Target,
  name: string,
  options: WalkOptions = {},
): Promise<DeadLetterLook> {
  const { deadLetters } = openLetters(target, name);
  const { visible, inFlight } = await deadLetters.count();
  const shown: ShownDeadLetter[] = [];
  const see = (message: HeldMessage) => void shown.push(toShown(name, message));
  const { end, notGivenBack } = await lookAtQueue(deadLetters, see, options);
  shown.sort((one, other) => one.sentAt.localeCompare(other.sentAt));
  const letters = shown.map(({ body: _body, attributes: _attributes, ...letter }) => letter);
  const total = Math.max(visible + inFlight, letters.length);
  const list = { queue: name, letters, total, stopped: end === "stopped", notGivenBack };
  return { list, shown };
}

/** Why a list may not have everything. */
export function restOf({ letters, total, stopped, notGivenBack }: DeadLetterList): string[] {
  const hidden = total - letters.length;
  return [
    ...(hidden > 0
      ? [
          `About ${hidden} more were not seen: they wait behind another message of the same order, somebody else holds them, or there are too many to list.`,
        ]
      : []),
    ...(notGivenBack > 0
      ? [`${notGivenBack} could not be given back at once; they are visible within five minutes.`]
      : []),
    ...(stopped ? ["Stopped: not everything was looked at."] : []),
  ];
}
