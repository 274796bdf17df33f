import { counted, wholeSeconds } from "../../../shared/text/number-text.ts";

/** The events that a subscriber has not received because its queue rejects or rejected them. */
export interface Refusing {
  /** Events that are retried, and undeliverable events. */
  readonly waiting: number;
  readonly givenUp: number;
  /**
   * Since when the oldest one waits. Undefined if none waits: then it is not known whether the queue still rejects
   * events.
   */
  readonly since: string | undefined;
  /** When the first one became undeliverable; undefined if there are too many to know. */
  readonly givenUpSince: string | undefined;
  readonly lastGivenUp: string | undefined;
  /** The error with which the queue rejected the latest one. */
  readonly errorName: string;
}

/** How the command or the page writes a time in a sentence. */
export type TimeText = (rfc3339: string) => string;

/**
 * What follows the subscriber's name: "has rejected events since 03:28: QueueDoesNotExist, 1 event waits, 40 not delivered
 * since 02:49", or "has not received 2 events since 02:49, the last at 03:28: QueueDoesNotExist".
 */
export function refusingText(refusing: Refusing, timeText: TimeText = wholeSeconds): string {
  const { waiting, givenUp, since, givenUpSince, errorName } = refusing;
  const first = givenUpSince === undefined ? "" : ` since ${timeText(givenUpSince)}`;
  if (since === undefined) {
    return `has not received ${counted(givenUp, "event")}${first}${lastText(refusing, timeText)}: ${errorName}`;
  }
  const wait = waiting === 1 ? "1 event waits" : `${counted(waiting, "event")} wait`;
  const given = givenUp === 0 ? "" : `, ${givenUp} not delivered${first}`;
  return `has rejected events since ${timeText(since)}: ${errorName}, ${wait}${given}`;
}

/** Nothing for a single event whose time is already there. */
function lastText({ givenUp, givenUpSince, lastGivenUp }: Refusing, timeText: TimeText): string {
  if (lastGivenUp === undefined) return "";
  if (givenUp > 1) return `, the last at ${timeText(lastGivenUp)}`;
  return givenUpSince === undefined ? ` at ${timeText(lastGivenUp)}` : "";
}
