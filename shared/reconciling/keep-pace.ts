import { questionEveryMilliseconds } from "../timing.ts";

/** Lets questions pass at a constant rate: the next one only when enough time has passed since the last one. */
export function createPace(
  now: () => number,
  pause: (milliseconds: number) => Promise<unknown>,
): () => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    // If the clock was set back, the wait is still not longer than a turn.
    const wait = Math.min(nextAt - now(), questionEveryMilliseconds);
    if (wait > 0) await pause(wait);
    nextAt = now() + questionEveryMilliseconds;
  };
}
