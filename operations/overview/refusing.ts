import { counted } from "../../shared/counted.ts";

/** What a subscriber's queue refuses now. */
export interface Refusing {
  readonly since: string;
  readonly errorName: string;
  /** Events that are tried again, and events that were given up. */
  readonly waiting: number;
  readonly givenUp: number;
}

/** "has refused since 2026-11-16T02:44:00Z (QueueDoesNotExist): 3 events wait, 1 given up". */
export function refusingText({ since, errorName, waiting, givenUp }: Refusing): string {
  const parts = [
    waiting > 0 ? `${counted(waiting, "event")} waiting` : "",
    givenUp > 0 ? `${givenUp} given up` : "",
  ].filter((part) => part !== "");
  return `has refused since ${since} (${errorName}): ${parts.join(", ")}`;
}
