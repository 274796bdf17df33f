import { PaycastError } from "../../shared/paycast-error.ts";
import type { SendBatch } from "./send-batch.ts";
import type { StoredEvent } from "./stored-event.ts";

/** Waits, and throws if the operator stops the run meanwhile. */
export type Pause = (milliseconds: number) => Promise<void>;

/** With the pauses between them, the tries take half a minute. */
const mostTries = 7;
const firstPauseMilliseconds = 500;

/**
 * Sends a batch until the queue has all of it, so that no later event passes one that was refused. Throws if the
 * queue goes on refusing.
 */
export async function sendPatiently(
  sendBatch: SendBatch,
  events: readonly StoredEvent[],
  pause: Pause,
): Promise<void> {
  let left = events;
  for (let tries = 1; left.length > 0; tries += 1) {
    const failure = await tryOnce(sendBatch, left);
    if (failure === undefined) return;
    if (failure.isLasting || tries === mostTries) throw failure.error;
    left = failure.left;
    await pause(firstPauseMilliseconds * 2 ** (tries - 1));
  }
}

interface Failure {
  readonly left: readonly StoredEvent[];
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
    const left = refusals.map(({ event }) => event);
    const isLasting = refusals.some((refusal) => refusal.isLasting);
    return { left, isLasting, error: refused(first.code, refusals.length) };
  } catch (error) {
    return { left: events, isLasting: isLastingError(error), error };
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
  return new PaycastError("aws-refused", `SQS refused ${count} of a batch's events: ${code}.`);
}
