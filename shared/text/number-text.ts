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

/** The two largest units: "5 min 50 s", "1 h 50 min". */
export function spanText(seconds: number): string {
  const units = [
    ["day", Math.floor(seconds / 86_400)],
    ["h", Math.floor(seconds / 3600) % 24],
    ["min", Math.floor(seconds / 60) % 60],
    ["s", Math.floor(seconds) % 60],
  ] as const;
  const first = units.findIndex(([, count]) => count > 0);
  const largest = first === -1 ? units.slice(-1) : units.slice(first, first + 2);
  return largest
    .filter(([, count], at) => count > 0 || at === 0)
    .map(([unit, count]) => `${count} ${unit === "day" && count > 1 ? "days" : unit}`)
    .join(" ");
}

/** An RFC 3339 time without its milliseconds, for people. */
export function wholeSeconds(rfc3339: string): string {
  return rfc3339.replace(/\.\d+Z$/, "Z");
}

/** An RFC 3339 time to the minute, for what is counted by minutes. */
export function wholeMinutes(rfc3339: string): string {
  return rfc3339.replace(/:\d\d(\.\d+)?Z$/, "Z");
}
