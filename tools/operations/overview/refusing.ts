import { counted, wholeSeconds } from "../../../shared/number-text.ts";

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
