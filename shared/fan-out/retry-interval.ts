import { toRfc3339 } from "../time/timestamp.ts";

const firstIntervalMilliseconds = 60_000;
const longestIntervalMilliseconds = 60 * 60_000;

/** One minute, then twice as long each time, up to an hour. */
export function nextAttemptAt(nowMilliseconds: number, attempts: number): string {
  const interval = firstIntervalMilliseconds * 2 ** Math.min(attempts, 10);
  return toRfc3339(nowMilliseconds + Math.min(interval, longestIntervalMilliseconds));
}
