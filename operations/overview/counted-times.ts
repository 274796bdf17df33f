import type { Counted } from "../telemetry/metric.ts";

const minuteMilliseconds = 60_000;

/** What happened is red for this time. After it, only its count stays. */
const redMinutes = 10;

/** When the first of what was counted happened, to the minute. */
export function firstAt(counted: Counted): string | undefined {
  return timeOf(
    counted,
    counted.perStep.findIndex((count) => count > 0),
  );
}

export function lastAt(counted: Counted): string | undefined {
  return timeOf(
    counted,
    counted.perStep.findLastIndex((count) => count > 0),
  );
}

/** Whether it happened in the last ten minutes, the minute of the count included. */
export function isRecent(counted: Counted, nowMilliseconds: number): boolean {
  const last = lastAt(counted);
  const redMilliseconds = (redMinutes + counted.stepMinutes) * minuteMilliseconds;
  return last !== undefined && nowMilliseconds - Date.parse(last) < redMilliseconds;
}

/** When the last ten minutes of the count began. */
export function lateSince({ since, perStep, stepMinutes }: Counted): string {
  const minutes = Math.max(0, perStep.length * stepMinutes - redMinutes);
  return new Date(since + minutes * minuteMilliseconds).toISOString();
}

/** How many there were at this time and later. */
export function totalSince(counted: Counted, rfc3339: string): number {
  const { perStep, since, stepMinutes } = counted;
  const first = (Date.parse(rfc3339) - since) / (stepMinutes * minuteMilliseconds);
  return perStep.slice(Math.max(0, first)).reduce((sum, count) => sum + count, 0);
}

function timeOf({ since, stepMinutes }: Counted, step: number): string | undefined {
  if (step < 0) return undefined;
  return new Date(since + step * stepMinutes * minuteMilliseconds).toISOString();
}
