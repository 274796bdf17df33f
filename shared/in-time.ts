import { isTransient } from "./errors/aws-fault.ts";

/**
 * Runs work with a time limit. At the limit it rejects with the error of `tooLate` and aborts the signal, whether or
 * not the work reacts to it.
 */
export async function inTime<Result>(
  milliseconds: number,
  tooLate: () => Error,
  work: (limit: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = tooLate();
      reject(error);
      limit.abort(error);
    }, milliseconds);
  });
  try {
    return await Promise.race([work(limit.signal), ended]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error of a slow queue, with the name that the SDK gives its own timeouts. */
export function queueTooSlow(): Error {
  return new DOMException("The queue did not respond in time.", "TimeoutError");
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

const mostTries = 3;
const longestPauseMilliseconds = 100;

/**
 * Repeats a call that failed for a passing reason. Nothing is sent after the limit: Lambda stops a function that has
 * responded and continues it at its next call, perhaps minutes later. The SDK's own retries would then go on. The
 * caller's client therefore makes one attempt (`leanSettings`).
 */
export async function tryInTime<Result>(
  milliseconds: number,
  tooLate: () => Error,
  call: () => Promise<Result>,
): Promise<Result> {
  return await inTime(milliseconds, tooLate, async (limit) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await call();
      } catch (error) {
        if (tries === mostTries || !isTransient(error)) throw error;
      }
      await pause(longestPauseMilliseconds * Math.random());
      limit.throwIfAborted();
    }
  });
}
