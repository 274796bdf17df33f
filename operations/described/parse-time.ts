const unitMilliseconds: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A date as the beginning of a range is its first moment, as the end of a range its last one. */
export type RangeEnd = "since" | "until";

/** How a person writes a time. */
export const timeForms =
  "2026-11-15T09:30:00Z, a date like 2026-11-15 (UTC), or how long ago, like 90m, 3h or 2d";

/** A time as a person writes it, in milliseconds since 1970; undefined if it is none. */
export function parseTime(
  text: string,
  end: RangeEnd,
  nowMilliseconds: number,
): number | undefined {
  const time = readAge(text, nowMilliseconds) ?? readDate(text, end) ?? readRfc3339(text);
  return time !== undefined && time >= 0 ? time : undefined;
}

function readAge(text: string, nowMilliseconds: number): number | undefined {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const milliseconds = unitMilliseconds[unit ?? ""];
  return milliseconds && nowMilliseconds - Number(count) * milliseconds;
}

function readDate(text: string, end: RangeEnd): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  return validTime(`${text}T${end === "since" ? "00:00:00.000" : "23:59:59.999"}Z`, text);
}

function readRfc3339(text: string): number | undefined {
  const [, date] =
    /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  return date === undefined ? undefined : validTime(text, date);
}

/** JavaScript reads February 30 as March 2. */
function validTime(text: string, date: string): number | undefined {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  const time = isDay ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
