/**
 * The result of work that has a limit. At the limit it rejects with the error that `tooLate` makes and aborts the signal,
 * and it does not matter whether the work listens to it.
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

/** The error of a queue that is too slow, with the name that the SDK gives to its own timeouts. */
export function queueTooSlow(): Error {
  return new DOMException("The queue did not answer in time.", "TimeoutError");
}
