import type { Counted } from "../ports/metrics.ts";
import type { Failures } from "./failure-words.ts";

const minuteMilliseconds = 60_000;

/** A failure counts as current for ten minutes. */
const redMinutes = 10;

/** When the last of what was counted happened, to the minute. */
export function lastAt({ perStep, since, stepMinutes }: Counted): string | undefined {
  const step = perStep.findLastIndex((count) => count > 0);
  if (step < 0) return undefined;
  return new Date(since + step * stepMinutes * minuteMilliseconds).toISOString();
}

/** Whether it happened in the last ten minutes, the minute of the count included. */
export function isRecent(counted: Counted, nowMilliseconds: number): boolean {
  const last = lastAt(counted);
  const redMilliseconds = (redMinutes + counted.stepMinutes) * minuteMilliseconds;
  return last !== undefined && nowMilliseconds - Date.parse(last) < redMilliseconds;
}

/** The same for failures. Without a later success they continue: a pause without requests solves nothing. */
export function goesOn(failures: Failures, nowMilliseconds: number): boolean {
  const { last, noneSince } = failures;
  const redMilliseconds = (redMinutes + 1) * minuteMilliseconds;
  return noneSince !== undefined || nowMilliseconds - Date.parse(last) < redMilliseconds;
}
