import { durationText } from "../../shared/counted.ts";
import { wholeSeconds } from "../../shared/time/timestamp.ts";

/** "2026-11-15T01:22:45Z", and how long ago that was or how far ahead it is. */
export function timeText(rfc3339: string, nowMilliseconds: number): string {
  return `${wholeSeconds(rfc3339)} (${agoText(rfc3339, nowMilliseconds)})`;
}

/** Two clocks differ a little: a time just ahead is now. */
const sameTimeSeconds = 60;

/** "12 min ago", or "in 8 days". */
export function agoText(rfc3339: string, nowMilliseconds: number): string {
  const seconds = (nowMilliseconds - Date.parse(rfc3339)) / 1000;
  if (seconds < -sameTimeSeconds) return `in ${durationText(-seconds)}`;
  return `${durationText(Math.max(0, seconds))} ago`;
}
