import type { Word } from "../../../shared/glossary.ts";
import { counted, wholeSeconds } from "../../../shared/number-text.ts";
import type { Counted } from "../telemetry/metric.ts";

/** Something that is wrong, or was wrong in the last hour. */
export interface Warning {
  readonly message: string;
  /** A word of the message that is explained. */
  readonly word?: Word;
  /** False if ten minutes passed without it. */
  readonly isRed: boolean;
  /** Where to look: in the console, and with which command after `npx paycast`. Absent if neither can help. */
  readonly look?: { readonly to: string; readonly action: string; readonly command: string };
}

/** For whom warnings are. */
export interface WarningContext {
  readonly nowMilliseconds: number;
  readonly timeText: TimeText;
}

export const keysLook = { to: "/keys", action: "Look at the keys", command: "keys check" };

/** A warning of what was counted in the last hour. */
export function happened(
  message: string,
  count: Counted,
  { nowMilliseconds }: WarningContext,
  look: NonNullable<Warning["look"]>,
): Warning {
  return { message, isRed: isRecent(count, nowMilliseconds), look };
}

/** ", the last at 02:46". */
export function lastText(count: Counted, { timeText }: WarningContext): string {
  const at = lastAt(count);
  return at === undefined ? "" : `, the last at ${timeText(at)}`;
}

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

/** The same for a time, of a minute in which something was counted. */
export function isRecentTime(rfc3339: string, nowMilliseconds: number): boolean {
  return nowMilliseconds - Date.parse(rfc3339) < (redMinutes + 1) * minuteMilliseconds;
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

/** What a subscriber misses because its queue refuses it, or has refused it. */
export interface Refusing {
  /** Events that are tried again, and events that were given up. */
  readonly waiting: number;
  readonly givenUp: number;
  /** Since when the oldest one waits. Undefined if none waits: then nobody knows whether the queue still refuses. */
  readonly since: string | undefined;
  /** When the first one was given up; undefined if there are too many to know it. */
  readonly givenUpSince: string | undefined;
  readonly lastGivenUp: string | undefined;
  /** With what the queue refused the latest one. */
  readonly errorName: string;
}

/** How a face tells a time that stands in a sentence. */
export type TimeText = (rfc3339: string) => string;

/**
 * What follows the subscriber's name: "refuses since 03:28: QueueDoesNotExist, 1 event waits, 40 given up since 02:49", or
 * "misses 2 events that were given up since 02:49, the last at 03:28: QueueDoesNotExist".
 */
export function refusingText(refusing: Refusing, timeText: TimeText = wholeSeconds): string {
  const { waiting, givenUp, since, givenUpSince, lastGivenUp, errorName } = refusing;
  const first = givenUpSince === undefined ? "" : ` since ${timeText(givenUpSince)}`;
  if (since === undefined) {
    const were = givenUp === 1 ? "that was given up" : `that were given up${first}, the last`;
    const last = lastGivenUp === undefined ? "" : ` at ${timeText(lastGivenUp)}`;
    return `misses ${counted(givenUp, "event")} ${were}${last}: ${errorName}`;
  }
  const wait = waiting === 1 ? "1 event waits" : `${counted(waiting, "event")} wait`;
  const given = givenUp === 0 ? "" : `, ${givenUp} given up${first}`;
  return `refuses since ${timeText(since)}: ${errorName}, ${wait}${given}`;
}
