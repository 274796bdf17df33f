import * as z from "zod/mini";
import { type EventType, matchesPattern } from "../facts/event-types.ts";

/** A team's queue and the event types it wants, as the stack passes them to the functions. */
export const subscriberSchema = z.object({
  name: z.string(),
  types: z.array(z.string()),
  queueUrl: z.string(),
  /** FIFO: an aggregate's events arrive in order, and a repeat within five minutes is dropped. */
  ordered: z.boolean(),
});

export type Subscriber = z.output<typeof subscriberSchema>;

export function subscribersTo(
  type: EventType,
  subscribers: readonly Subscriber[],
): readonly Subscriber[] {
  return subscribers.filter(({ types }) => types.some((pattern) => matchesPattern(type, pattern)));
}
