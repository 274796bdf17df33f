import { findSubscriber } from "../target/find-subscriber.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { type MessageQueue, openQueue } from "./message-queue.ts";

export interface SubscriberQueues {
  readonly subscriber: TargetSubscriber;
  readonly queue: MessageQueue;
  readonly deadLetters: MessageQueue;
}

/** Throws `not-found` if the stack has no such subscriber. */
export function openSubscriber(target: Target, name: string): SubscriberQueues {
  const subscriber = findSubscriber(target, name);
  return {
    subscriber,
    queue: openQueue(target, subscriber.queueUrl),
    deadLetters: openQueue(target, subscriber.deadLettersUrl),
  };
}
