import { deliveryPatienceMilliseconds, longestRetryMilliseconds } from "../timing.ts";
import type { Delivery } from "./deliver-event.ts";

/** What this instance has seen of the subscribers whose queues refuse events. */
export interface RefusingSubscribers {
  readonly note: (delivery: Delivery) => void;
  /** Whether the queue has refused for the whole patience. Then each further event gets one try, until one succeeds. */
  readonly isHopeless: (subscriber: string) => boolean;
}

/** Without a refusal for this long, nobody knows what the queue would have done meanwhile. */
const longestSilence = 2 * longestRetryMilliseconds;

/**
 * SQS lets 120,000 messages of a FIFO queue be in flight, and messages that are given back are in flight until their
 * pause ends. If every event waited five minutes for a queue that is gone, a busy inbox would reach that limit.
 */
export function watchRefusals(now: () => number): RefusingSubscribers {
  const refusals = new Map<string, { readonly since: number; readonly last: number }>();
  return {
    note: ({ delivered, failures }) => {
      for (const name of delivered) refusals.delete(name);
      for (const { subscriber } of failures) {
        const known = refusals.get(subscriber);
        const isSame = known !== undefined && now() - known.last <= longestSilence;
        refusals.set(subscriber, { since: isSame ? known.since : now(), last: now() });
      }
    },
    isHopeless: (subscriber) => {
      const known = refusals.get(subscriber);
      return known !== undefined && known.last - known.since >= deliveryPatienceMilliseconds;
    },
  };
}
