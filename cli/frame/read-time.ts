import { parseTime, type RangeEnd, timeForms } from "../../operations/described/parse-time.ts";
import { UsageError } from "./command.ts";

/** The time of an option such as `--since`, in milliseconds since 1970. Throws `UsageError`. */
export function readTime(text: string, end: RangeEnd, nowMilliseconds: number): number {
  const time = parseTime(text, end, nowMilliseconds);
  if (time !== undefined) return time;
  throw new UsageError(`--${end} needs a time: ${timeForms}.`);
}
