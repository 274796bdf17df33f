import { deliveryPatienceMilliseconds, failingMemoryMilliseconds } from "../timing.ts";
import type { Delivery } from "./delivery.ts";
import { isRefusal } from "./failure.ts";

/** The subscribers whose queues fail, as this instance has seen them. */
export interface FailingSubscribers {
  readonly note: (delivery: Delivery) => void;
  /** Whether the queue has refused for the whole patience. Each event then gets one attempt, until one succeeds. */
  readonly isHopeless: (subscriber: string) => boolean;
  /**
   * Whether the last attempts got no response. False again after 30 seconds, so that a queue that is only slow gets an
   * attempt with the usual time.
   */
  readonly isHanging: (subscriber: string) => boolean;
}

/** What an instance remembers of a subscriber whose last attempt failed. */
interface Memory {
  readonly lastTryAt: number;
  /** The first and the last of its refusals. Undefined if there were only other failures. */
  readonly refused: { readonly since: number; readonly until: number } | undefined;
  readonly hangsUntil: number;
}

/**
 * SQS allows 120,000 messages of a FIFO queue in flight, and a message that was returned is in flight until its pause
 * ends. If every event waited five minutes for a queue that refuses, a busy inbox would reach that limit.
 *
 * The memory of a subscriber ends after a short time without an attempt, because the queue may have worked in between.
 * A timeout is no refusal: it may be a fault of the network, and the event may even have arrived.
 */
export function createFailingSubscribers(now: () => number): FailingSubscribers {
  const memories = new Map<string, Memory>();
  const memoryOf = (subscriber: string): Memory | undefined => {
    const memory = memories.get(subscriber);
    const isOver = memory !== undefined && now() - memory.lastTryAt > failingMemoryMilliseconds;
    return isOver ? undefined : memory;
  };
  const hangsUntilOf = (subscriber: string): number => {
    const hangsUntil = memoryOf(subscriber)?.hangsUntil ?? 0;
    return hangsUntil > now() ? hangsUntil : now() + failingMemoryMilliseconds;
  };
  return {
    note: ({ delivered, failures }) => {
      for (const name of delivered) memories.delete(name);
      for (const failure of failures) {
        const { subscriber, kind } = failure;
        if (kind === "untried") continue;
        const earlier = memoryOf(subscriber)?.refused;
        const again = { since: earlier?.since ?? now(), until: now() };
        const refused = isRefusal(failure) ? again : earlier;
        const hangsUntil = kind === "no-response" ? hangsUntilOf(subscriber) : 0;
        memories.set(subscriber, { lastTryAt: now(), refused, hangsUntil });
      }
    },
    isHopeless: (subscriber) => {
      const refused = memoryOf(subscriber)?.refused;
      return refused !== undefined && refused.until - refused.since >= deliveryPatienceMilliseconds;
    },
    isHanging: (subscriber) => (memoryOf(subscriber)?.hangsUntil ?? 0) > now(),
  };
}
