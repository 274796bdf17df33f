import { stackNow } from "../stack-time.ts";
/** A time range as the URL has it: RFC 3339, an age ("7d"), or empty. */
export interface Range {
  readonly from: string;
  readonly until: string;
}

/** The ranges to choose from. Days and times are in UTC. */
export const ranges = [
  ["minutes", "Last 15 minutes"],
  ["hour", "Last hour"],
  ["hours", "Last 24 hours"],
  ["today", "Today"],
  ["usual", "Last 2 days"],
  ["week", "7 days"],
  ["day", "A day …"],
  ["times", "From … to …"],
] as const;

type RangeName = (typeof ranges)[number][0];

const ages: Readonly<Record<string, RangeName>> = {
  "": "usual",
  "15m": "minutes",
  "1h": "hour",
  "1d": "hours",
  "7d": "week",
};

export function nameOfRange({ from, until }: Range): RangeName {
  if (until === "" && from in ages) return ages[from] ?? "usual";
  const { from: start, until: end } = rangeOfDay(dayOf(from));
  if (from !== start) return "times";
  if (until === "")
    return dayOf(from) === dayOf(new Date(stackNow()).toISOString()) ? "today" : "times";
  return until === end ? "day" : "times";
}

/** The initial range of a choice. */
export function rangeNamed(name: string | undefined): Range {
  const today = rangeOfDay(dayOf(new Date(stackNow()).toISOString()));
  switch (name) {
    case "today":
      return { ...today, until: "" };
    case "day":
      return today;
    case "times":
      return { from: new Date(stackNow() - 3_600_000).toISOString(), until: "" };
    default:
      return { from: Object.keys(ages).find((age) => ages[age] === name) ?? "", until: "" };
  }
}

/** The whole day, such as "2026-11-16", in UTC. */
export function rangeOfDay(day: string): Range {
  const [from, until] = [new Date(`${day}T00:00:00Z`), new Date(`${day}T23:59:59.999Z`)];
  return Number.isNaN(from.getTime())
    ? { from: "", until: "" }
    : { from: from.toISOString(), until: until.toISOString() };
}

/** The UTC day of a time; empty if it is not a valid time. */
export function dayOf(time: string): string {
  return minuteOf(time).slice(0, 10);
}

/** "2026-11-16T09:30", the format of a datetime-local field; empty if it is not a valid time. */
export function minuteOf(time: string): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return "";
  return at.toISOString().slice(0, 16);
}

/** The first instant of the minute, or the last one if the range ends there. */
export function timeOfMinute(minute: string, end: keyof Range): string {
  const at = new Date(`${minute}${end === "from" ? ":00Z" : ":59.999Z"}`);
  return Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
