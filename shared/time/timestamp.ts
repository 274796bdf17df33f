import { PaycastError } from "../errors/paycast-error.ts";

/** RFC 3339 has four digits for the year. */
const endOfYear9999Milliseconds = 253_402_300_799_999;

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
