import * as z from "zod/mini";

/** A time as a sender wrote it. The interface does not define the format of its times (§2.3, §2.9, §2.11, §2.12). */
export interface WrittenTime {
  readonly milliseconds: number;
  /** True if it was written without milliseconds, so it equals any time in its second. */
  readonly isWholeSecond: boolean;
}

/** The range of thirteen digits of milliseconds, or ten of seconds: September 2001 to November 2286. */
const earliestMilliseconds = 1_000_000_000_000;
const latestMilliseconds = 9_999_999_999_999;
const earliestSeconds = earliestMilliseconds / 1_000;
const latestSeconds = (latestMilliseconds - 999) / 1_000;

const digits = /^[1-9]\d{9}(\d{3})?$/;
/** RFC 3339, section 5.6: capitals or not, a fraction of any length, always an offset. */
const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/i;

/** Milliseconds, seconds or RFC 3339, as a number or as text. Undefined if it is none of these. */
export function readTime(value: unknown): WrittenTime | undefined {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value !== "string") return undefined;
  return digits.test(value) ? fromNumber(Number(value)) : fromRfc3339(value);
}

function fromNumber(value: number): WrittenTime | undefined {
  if (!Number.isInteger(value)) return undefined;
  if (value >= earliestSeconds && value <= latestSeconds) {
    return { milliseconds: value * 1_000, isWholeSecond: true };
  }
  return isInRange(value) ? { milliseconds: value, isWholeSecond: false } : undefined;
}

function isInRange(milliseconds: number): boolean {
  return milliseconds >= earliestMilliseconds && milliseconds <= latestMilliseconds;
}

function fromRfc3339(text: string): WrittenTime | undefined {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map(Number);
  const [fraction, sign, offsetHour, offsetMinute] = match.slice(7);
  const offset = offsetMinutes(sign, Number(offsetHour ?? 0), Number(offsetMinute ?? 0));
  const isClock = hour <= 23 && minute <= 59 && second <= 60;
  if (offset === undefined || !isClock || !isDate(year, month, day)) return undefined;
  const seconds = Date.UTC(year, month - 1, day, hour, minute - offset, second);
  if (second === 60 && !isStartOfMonth(seconds)) return undefined;
  // Digits after the third are cut off, as by a sender that stores milliseconds.
  const milliseconds = seconds + Number((fraction ?? "").slice(0, 3).padEnd(3, "0"));
  if (!isInRange(milliseconds)) return undefined;
  return { milliseconds, isWholeSecond: fraction === undefined };
}

/** Undefined if there is no such offset. */
function offsetMinutes(sign = "+", hours: number, minutes: number): number | undefined {
  if (hours > 23 || minutes > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/** `Date.UTC` silently changes a day that does not exist into another one. */
function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** A leap second is the last second of a month in UTC. Unix time gives it the number of the following second. */
function isStartOfMonth(milliseconds: number): boolean {
  const date = new Date(milliseconds);
  return date.getUTCDate() === 1 && date.getUTCHours() === 0 && date.getUTCMinutes() === 0;
}

const words =
  "must be a time: milliseconds (13 digits) or seconds (10 digits) since 1970, or RFC 3339 with an offset";

/** JSON Schema cannot express `readTime`, so the forms are registered for it. */
const written = z.union([z.number(), z.string()], words).register(z.globalRegistry, {
  anyOf: [
    { type: "integer", minimum: earliestMilliseconds, maximum: latestMilliseconds },
    { type: "integer", minimum: earliestSeconds, maximum: latestSeconds },
    { type: "string", pattern: digits.source },
    { type: "string", format: "date-time" },
  ],
});

/** The same for a field of the storefront API, as milliseconds since 1970. */
export const timeSchema = z.pipe(
  written,
  z.transform((value: number | string, context): number => {
    const time = readTime(value);
    if (time !== undefined) return time.milliseconds;
    context.issues.push({ code: "custom", message: words, input: value });
    return z.NEVER;
  }),
);
