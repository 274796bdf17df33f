/** "12,000". */
export function numberText(count: number): string {
  return count.toLocaleString("en-US");
}

/** "1 event", "3 events", "12,000 events", "2 to 4 events". */
export function counted(count: number | string, thing: string): string {
  return `${count.toLocaleString("en-US")} ${thing}${String(count) === "1" ? "" : "s"}`;
}

/** The largest unit that fits, rounded down: "45 s", "3 min", "2 h", "5 days". */
export function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} days`;
}

/** An RFC 3339 time without its milliseconds, for people. */
export function wholeSeconds(rfc3339: string): string {
  return rfc3339.replace(/\.\d+Z$/, "Z");
}
