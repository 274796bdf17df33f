const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** "3 min ago", for a time of RFC 3339. A clock that is a little off must not give "in 2 s". */
export function ago(time: string, nowMilliseconds: number = Date.now()): string {
  return `${lengthOf(Math.max(0, nowMilliseconds - Date.parse(time)))} ago`;
}

/** A duration in its largest fitting unit. */
export function lengthOf(milliseconds: number): string {
  if (milliseconds < minute) return `${Math.floor(milliseconds / 1000)} s`;
  if (milliseconds < hour) return `${Math.floor(milliseconds / minute)} min`;
  if (milliseconds < 2 * day) return `${Math.floor(milliseconds / hour)} h`;
  return `${Math.floor(milliseconds / day)} days`;
}
