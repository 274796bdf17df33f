import type { SendEvent } from "./send-event.ts";
import type { Subscriber } from "./subscriber.ts";

/** A recorded event, and the subscribers that have not got it yet. */
export interface PendingEvent {
  readonly event: string;
  readonly factId: string;
  readonly type: string;
  readonly group: string;
  readonly pending: readonly string[];
}

/** Why a subscriber has not got an event. */
export interface Failure {
  readonly subscriber: string;
  readonly errorName: string;
}

export interface Delivery {
  readonly delivered: readonly string[];
  readonly failures: readonly Failure[];
}

/**
 * Sends to all pending subscribers in parallel. A send that fails does not delay the others; process-callback tries it
 * again for `deliveryPatienceMilliseconds`.
 */
export async function deliverEvent(
  { event, factId, type, group, pending }: PendingEvent,
  subscribers: readonly Subscriber[],
  sendEvent: SendEvent,
): Promise<Delivery> {
  const outgoing = { event, eventId: factId, type, group };
  const results = await Promise.all(
    pending.map(async (name) => {
      const to = subscribers.find((subscriber) => subscriber.name === name);
      if (to === undefined) return { subscriber: name, errorName: "NotConfigured" };
      return await sendEvent(to, outgoing).then(
        () => name,
        (error: unknown) => failureOf(name, error),
      );
    }),
  );
  return {
    delivered: results.filter((result) => typeof result === "string"),
    failures: results.filter((result) => typeof result !== "string"),
  };
}

function failureOf(subscriber: string, error: unknown): Failure {
  return { subscriber, errorName: error instanceof Error ? error.name : typeof error };
}
