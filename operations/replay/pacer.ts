import type { Pause } from "./send-patiently.ts";

/**
 * Waits until it is time to send so many events. Time that was lost is not made up for: after an outage the subscriber gets no
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
