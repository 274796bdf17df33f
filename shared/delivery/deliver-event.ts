import type { Delivery, SendEvent } from "./delivery.ts";
import { type Failure, failureOf } from "./failure.ts";
import type { Subscriber } from "./subscriber.ts";

/** A stored event, and the subscribers that do not have it yet. */
interface PendingEvent {
  readonly event: string;
  readonly factId: string;
  readonly type: string;
  readonly group: string;
  readonly pending: readonly string[];
}

/**
 * Sends an event to all pending subscribers in parallel, once. A failed send does not delay the others.
 * processing/end-delivery.ts decides whether it is retried.
 */
export async function deliverEvent(
  { event, factId, type, group, pending }: PendingEvent,
  subscribers: readonly Subscriber[],
  sendEvent: SendEvent,
): Promise<Delivery> {
  const outgoing = { event, eventId: factId, type, group };
  const attempt = async (name: string): Promise<Failure | undefined> => {
    const to = subscribers.find((subscriber) => subscriber.name === name);
    if (to === undefined) return notConfigured(name);
    try {
      await sendEvent(to, outgoing);
      return undefined;
    } catch (error) {
      return failureOf(name, error);
    }
  };
  const results = await Promise.all(pending.map(attempt));
  return {
    delivered: pending.filter((_name, index) => results[index] === undefined),
    failures: results.filter((result) => result !== undefined),
  };
}

function notConfigured(subscriber: string): Failure {
  return { subscriber, errorName: "NotConfigured", kind: "refused" };
}
