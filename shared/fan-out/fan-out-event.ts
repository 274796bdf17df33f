import type { CallbackRecord } from "../records/callback-record.ts";
import type { SendEvent } from "./send-event.ts";
import type { Subscriber } from "./subscriber.ts";

/** What became of one event's sends. `gone` are names that are not configured, or not yet, for this instance. */
export interface FanOut {
  readonly delivered: readonly string[];
  readonly failed: readonly string[];
  readonly gone: readonly string[];
  /** The names of the errors that sends failed with, each once. */
  readonly errors: readonly string[];
}

/** Sends to each named subscriber at the same time; one that fails holds up no other. */
export async function fanOutEvent(
  record: CallbackRecord,
  names: readonly string[],
  subscribers: readonly Subscriber[],
  sendEvent: SendEvent,
): Promise<FanOut> {
  const known = subscribers.filter(({ name }) => names.includes(name));
  const { event = "", factId, type, group } = record;
  const sends = known.map((to) => sendEvent(to, { event, eventId: factId, type, group }));
  const results = await Promise.allSettled(sends);
  const namesOf = (status: PromiseSettledResult<void>["status"]) =>
    known.filter((_, index) => results[index]?.status === status).map(({ name }) => name);
  return {
    delivered: namesOf("fulfilled"),
    failed: namesOf("rejected"),
    gone: names.filter((name) => !known.some((subscriber) => subscriber.name === name)),
    errors: [...new Set(results.flatMap(errorName))],
  };
}

function errorName(result: PromiseSettledResult<void>): string[] {
  if (result.status === "fulfilled") return [];
  return [result.reason instanceof Error ? result.reason.name : typeof result.reason];
}
