import * as z from "zod/mini";
import { PaycastError } from "../paycast-error.ts";

/** Thirteen digits (§2.1, §8) run from September 2001 to November 2286. */
const earliestMilliseconds = 1_000_000_000_000;
const latestMilliseconds = 9_999_999_999_999;
/** RFC 3339 has four digits for the year. */
const endOfYear9999Milliseconds = 253_402_300_799_999;

const thirteenDigits = "must be 13 digits, milliseconds since 1970";

/** A time of the interface, number or string (§2.1, §2.10), as milliseconds since 1970. */
export const timestampSchema = z.pipe(
  z.union(
    [
      z
        .int(thirteenDigits)
        .check(
          z.gte(earliestMilliseconds, thirteenDigits),
          z.lte(latestMilliseconds, thirteenDigits),
        ),
      z.string().check(z.regex(/^[1-9][0-9]{12}$/, thirteenDigits)),
    ],
    thirteenDigits,
  ),
  z.transform(Number),
);

/** Like `timestampSchema`, for a time that only informs: undefined if it cannot be read. */
export function readTimestamp(value: unknown): number | undefined {
  const isDigits = typeof value === "string" && /^[1-9][0-9]{12}$/.test(value);
  const milliseconds = isDigits ? Number(value) : value;
  if (typeof milliseconds !== "number" || !Number.isInteger(milliseconds)) return undefined;
  const isInRange = milliseconds >= earliestMilliseconds && milliseconds <= latestMilliseconds;
  return isInRange ? milliseconds : undefined;
}

/** "2026-11-15T01:22:45.123Z". Throws `time-out-of-range`. */
export function toRfc3339(epochMilliseconds: number): string {
  const isDate = Number.isInteger(epochMilliseconds) && epochMilliseconds >= 0;
  if (isDate && epochMilliseconds <= endOfYear9999Milliseconds) {
    return new Date(epochMilliseconds).toISOString();
  }
  throw new PaycastError(
    "time-out-of-range",
    "The time is not a whole number of milliseconds between 1970 and 9999.",
  );
}

export function optionalRfc3339(epochMilliseconds: number | undefined): string | undefined {
  return epochMilliseconds === undefined ? undefined : toRfc3339(epochMilliseconds);
}
