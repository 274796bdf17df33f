import type { Redriven } from "../../operations/dead-letters/redrive-dead-letters.ts";
import { counted } from "../../shared/counted.ts";
import { endText } from "./work-text.ts";

/** What came of a redrive of a subscriber's dead letters. */
export function redrivenText(
  subscriber: string,
  { moved, notReached, cameBack, end }: Redriven,
): string {
  const parts = [`${counted(moved, "event")} sent to the queue of ${subscriber} again.`];
  if (notReached > 0) {
    parts.push(
      `${notReached} not reached: somebody else holds them, or they wait behind an event of the same order that was not chosen.`,
    );
  }
  if (cameBack > 0) {
    parts.push(`${cameBack} stay: the same event was sent already, or its consumer failed again.`);
  }
  if (end === "task-running") parts.push("SQS goes on with it by itself.");
  if (end === "task-cancelled") parts.push("Somebody cancelled it in SQS.");
  return `${parts.join(" ")}${endText(end)}`;
}
