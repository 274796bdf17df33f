import type { SendEvent } from "./send-event.ts";
import type { Subscriber } from "./subscriber.ts";

/** An event that has been recorded, and who has not got it yet. */
export interface PendingEvent {
  readonly event: string;
  readonly factId: string;
  readonly type: string;
  readonly group: string;
  readonly pending: readonly string[];
}

/** Why a subscriber has not got an event. `refused`: its queue says no, so trying again soon will hardly help. */
export interface Failure {
  readonly subscriber: string;
  readonly errorName: string;
  readonly refused: boolean;
}

export interface Delivery {
  readonly delivered: readonly string[];
  readonly failures: readonly Failure[];
}

/** Sends to everybody who is pending at the same time; one that fails holds up no other. */
export async function deliverEvent(
  { event, factId, type, group, pending }: PendingEvent,
  subscribers: readonly Subscriber[],
  sendEvent: SendEvent,
): Promise<Delivery> {
  const outgoing = { event, eventId: factId, type, group };
  const results = await Promise.all(
    pending.map(async (name) => {
      const to = subscribers.find((subscriber) => subscriber.name === name);
      if (to === undefined) return { subscriber: name, errorName: "NotConfigured", refused: true };
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
  const errorName = error instanceof Error ? error.name : typeof error;
  return { subscriber, errorName, refused: isRefusal(error) };
}

/** SQS answers 4xx to a queue that is gone or closed, and also to calls that come too fast. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || /thrott|limit|slow/i.test(error.name)) return false;
  const status = httpStatusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function httpStatusOf(error: Error): number | undefined {
  const metadata: unknown = Reflect.get(error, "$metadata");
  if (typeof metadata !== "object" || metadata === null) return undefined;
  const status: unknown = Reflect.get(metadata, "httpStatusCode");
  return typeof status === "number" ? status : undefined;
}
