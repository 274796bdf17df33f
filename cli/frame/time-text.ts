/** "2026-11-15T01:22:45Z", and how long ago that was or how far ahead it is. */
export function timeText(rfc3339: string, nowMilliseconds: number): string {
  return `${rfc3339.replace(/\.\d+Z$/, "Z")} (${agoText(rfc3339, nowMilliseconds)})`;
}

/** Two clocks differ a little: a time just ahead is now. */
const sameTimeSeconds = 60;

/** "12 min ago", or "in 8 days". */
export function agoText(rfc3339: string, nowMilliseconds: number): string {
  const seconds = (nowMilliseconds - Date.parse(rfc3339)) / 1000;
  if (seconds < -sameTimeSeconds) return `in ${durationText(-seconds)}`;
  return `${durationText(Math.max(0, seconds))} ago`;
}

/** Rounded down to the largest unit that fits. */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}
