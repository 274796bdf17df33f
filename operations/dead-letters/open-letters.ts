import { findSubscriber } from "../target/find-subscriber.ts";
import type { Target } from "../target/target.ts";
import { type MessageQueue, openQueue } from "./message-queue.ts";

/** The name under which the inbox's own dead letters are found. No subscriber may have it. */
export const inboxName = "inbox";

/** A queue with its dead letters: a subscriber's, or the inbox. */
export interface LetterQueues {
  readonly name: string;
  readonly ordered: boolean;
  readonly queue: MessageQueue;
  readonly deadLetters: MessageQueue;
}

/** Throws `not-found` if the stack has no such subscriber. */
export function openLetters(target: Target, name: string): LetterQueues {
  const { url, deadLettersUrl, ordered } = queuesOf(target, name);
  return {
    ...{ name, ordered },
    queue: openQueue(target, url),
    deadLetters: openQueue(target, deadLettersUrl),
  };
}

function queuesOf(target: Target, name: string) {
  if (name === inboxName) return { ...target.inbox, ordered: true };
  const { queueUrl: url, deadLettersUrl, ordered } = findSubscriber(target, name);
  return { url, deadLettersUrl, ordered };
}
