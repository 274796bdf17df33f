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
