import * as z from "zod/mini";
import { matchesPattern } from "../facts/event-types.ts";
import { smokeName } from "../smoke-merchant.ts";

/**
 * A subscriber as the stack passes it to the functions. It has only the name of its queue: the environment holds 4 KB,
 * and all queue URLs of a stack differ only in the name.
 */
export const listedSubscriberSchema = z.object({
  name: z.string(),
  /** Event type patterns, validated by infra/config/subscriber-config.ts and compared by `matchesPattern`. */
  types: z.array(z.string()),
  /** If absent: all merchants except the one of smoke tests. */
  merchants: z.optional(z.array(z.string())),
  queue: z.string(),
  /** How long an event may wait in the queue before it counts as late. Absent if it is the default. */
  maxWaitMinutes: z.optional(z.int()),
});

type ListedSubscriber = z.output<typeof listedSubscriberSchema>;

export interface Subscriber extends Omit<ListedSubscriber, "queue"> {
  readonly queueUrl: string;
  /**
   * Whether the queue is FIFO: the events of an aggregate arrive in order, and SQS drops a repeat within five minutes.
   */
  readonly ordered: boolean;
}

/** Adds the queue URLs, which differ from the inbox's only in the name. The name of a FIFO queue ends with `.fifo`. */
export function locateSubscribers(
  listed: readonly ListedSubscriber[],
  inboxUrl: string,
): readonly Subscriber[] {
  return listed.map(({ queue, ...subscriber }) => {
    const queueUrl = new URL(queue, inboxUrl).href;
    return { ...subscriber, queueUrl, ordered: queue.endsWith(".fifo") };
  });
}

export function subscribersTo(
  { type, merchantId }: { readonly type: string; readonly merchantId: string },
  subscribers: readonly Subscriber[],
): readonly Subscriber[] {
  return subscribers.filter(
    (subscriber) =>
      wantsMerchant(subscriber, merchantId) &&
      subscriber.types.some((pattern) => matchesPattern(type, pattern)),
  );
}

function wantsMerchant({ merchants }: Subscriber, merchantId: string): boolean {
  return merchants === undefined ? merchantId !== smokeName : merchants.includes(merchantId);
}
