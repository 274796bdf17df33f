import { PaycastError } from "../../shared/paycast-error.ts";
import type { Target, TargetSubscriber } from "../target/target.ts";
import { type MessageQueue, openQueue } from "./message-queue.ts";

export interface SubscriberQueues {
  readonly subscriber: TargetSubscriber;
  readonly queue: MessageQueue;
  readonly deadLetters: MessageQueue;
}

/** Throws `not-found` if the stack has no such subscriber. */
export function openSubscriber(target: Target, name: string): SubscriberQueues {
  const subscriber = target.subscribers.find((one) => one.name === name);
  if (subscriber === undefined) {
    const known = target.subscribers.map((one) => one.name).join(", ");
    throw new PaycastError("not-found", `There is no such subscriber. Subscribers: ${known}.`);
  }
  return {
    subscriber,
    queue: openQueue(target, subscriber.queueUrl),
    deadLetters: openQueue(target, subscriber.deadLettersUrl),
  };
}
