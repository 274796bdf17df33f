import { queueMessage } from "../../../shared/delivery/send-events.ts";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { sha256Of } from "../../../shared/sha256.ts";
import type { MessageQueue, StackSubscriber } from "../ports/queues.ts";
import type { StoredEvent } from "../records/read-records.ts";

/** An event that the queue did not accept. */
interface Refusal {
  readonly event: StoredEvent;
  readonly code: string;
  /** The same call would be rejected again. */
  readonly isLasting: boolean;
}

/** Sends events in one call. Returns the rejected events; throws if the whole call was rejected. */
export type SendBatch = (events: readonly StoredEvent[]) => Promise<readonly Refusal[]>;

const mostBatch = 10;

/** SQS accepts one mebibyte per call, including attributes; this limit has room for them. */
const mostBytes = 900_000;

/**
 * Events that are sent together. On an ordered queue a batch has one event of a group: SQS may reject any of them, and
 * none may overtake an earlier one. A low rate has small batches, so that it stays even.
 */
export function batchesOf(
  events: readonly StoredEvent[],
  ordered: boolean,
  eventsPerSecond = mostBatch,
): StoredEvent[][] {
  const most = Math.min(mostBatch, eventsPerSecond);
  const batches: StoredEvent[][] = [];
  for (const event of events) {
    const batch = batches.at(-1);
    if (batch !== undefined && fits(batch, event, ordered) && batch.length < most)
      batch.push(event);
    else batches.push([event]);
  }
  return batches;
}

function fits(batch: readonly StoredEvent[], next: StoredEvent, ordered: boolean): boolean {
  const isRepeat = ordered && batch.some(({ group }) => group === next.group);
  const bytes = batch.reduce((sum, { event }) => sum + event.length, next.event.length);
  return !isRepeat && bytes <= mostBytes;
}

/**
 * The message is the live one, with the run as a further attribute. SQS remembers a live event's deduplication id for five
 * minutes and would drop the replay, so the run is part of the id; a repeat within a run is still dropped.
 */
export function createBatchSender(
  queue: Pick<MessageQueue, "sendBatch">,
  subscriber: StackSubscriber,
  run: string,
): SendBatch {
  const replay = { DataType: "String", StringValue: run };
  return async (events) => {
    const entries = events.map(({ event, factId, type, group }) => {
      const eventId = sha256Of(run, factId);
      const live = queueMessage(subscriber, { event, eventId, type, group });
      const MessageAttributes = { ...live.MessageAttributes, replay };
      return { ...live, MessageAttributes };
    });
    const rejected = await queue.sendBatch(entries);
    return rejected.flatMap(({ index, ...rejection }) => {
      const event = events[index];
      return event === undefined ? [] : [{ event, ...rejection }];
    });
  };
}

/** Waits, and throws if the operator stops the run meanwhile. */
export type Pause = (milliseconds: number) => Promise<void>;

/** With the pauses between them, the tries take half a minute. */
const mostTries = 7;
const firstPauseMilliseconds = 500;

/**
 * Sends a batch until the queue has all of it, so that no later event overtakes a rejected one. Throws if the queue
 * keeps rejecting.
 */
export async function sendPatiently(
  sendBatch: SendBatch,
  events: readonly StoredEvent[],
  pause: Pause,
): Promise<void> {
  let unsent = events;
  for (let tries = 1; unsent.length > 0; tries += 1) {
    const failure = await tryOnce(sendBatch, unsent);
    if (failure === undefined) return;
    if (failure.isLasting || tries === mostTries) throw failure.error;
    unsent = failure.unsent;
    await pause(firstPauseMilliseconds * 2 ** (tries - 1));
  }
}

interface Failure {
  readonly unsent: readonly StoredEvent[];
  readonly isLasting: boolean;
  readonly error: unknown;
}

async function tryOnce(
  sendBatch: SendBatch,
  events: readonly StoredEvent[],
): Promise<Failure | undefined> {
  try {
    const refusals = await sendBatch(events);
    const [first] = refusals;
    if (first === undefined) return undefined;
    const unsent = refusals.map(({ event }) => event);
    const isLasting = refusals.some((refusal) => refusal.isLasting);
    return { unsent, isLasting, error: refused(first.code, refusals.length) };
  } catch (error) {
    return { unsent: events, isLasting: isLastingError(error), error };
  }
}

/** AWS blames the caller (no such queue, no permission), and it is not a request to slow down. */
function isLastingError(error: unknown): boolean {
  if (!(error instanceof Error) || !("$fault" in error)) return false;
  // The SDK's errors always have the field; it has a value only where a retry makes sense.
  const isRetryable = "$retryable" in error && error.$retryable !== undefined;
  const isThrottled = isRetryable || /throttl|slow|limit|too ?many/i.test(error.name);
  return error.$fault === "client" && !isThrottled;
}

function refused(code: string, count: number): PaycastError {
  return new PaycastError("aws-refused", `SQS rejected ${count} of a batch's events: ${code}.`);
}

/**
 * Waits until it is time to send this many events. Lost time is not made up for: after an outage the subscriber gets no
 * burst.
 */
export function createPacer(
  eventsPerSecond: number,
  pause: Pause,
  now: () => number = () => performance.now(),
): (events: number) => Promise<void> {
  let freeAt = now();
  return async (events) => {
    const wait = freeAt - now();
    if (wait > 0) await pause(wait);
    freeAt = Math.max(freeAt, now()) + (events * 1000) / eventsPerSecond;
  };
}
