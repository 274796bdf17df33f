import * as z from "zod/mini";
import { matchesPattern } from "../facts/event-types.ts";
import { smokeName } from "../smoke-merchant.ts";

/**
 * A team's queue and the events it wants, as the stack passes them to the functions: with the name of the queue alone,
 * since an environment holds 4 KB and all queues of a stack have the same address but for their names.
 */
export const listedSubscriberSchema = z.object({
  name: z.string(),
  /** Patterns. infra/config/subscriber-config.ts checks them, `matchesPattern` compares them. */
  types: z.array(z.string()),
  /** Without it: all merchants, except the one of smoke tests. */
  merchants: z.optional(z.array(z.string())),
  queue: z.string(),
  /** How long an event may wait in the queue, for operators. Absent if it is the default. */
  maxWaitMinutes: z.optional(z.int()),
});

type ListedSubscriber = z.output<typeof listedSubscriberSchema>;

export interface Subscriber extends Omit<ListedSubscriber, "queue"> {
  readonly queueUrl: string;
  /** FIFO: an aggregate's events arrive in order, and a repeat within five minutes is dropped. */
  readonly ordered: boolean;
}

/** With the addresses of their queues, which are beside the inbox. The name of a FIFO queue has its own ending in SQS. */
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
