import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { StackSubscriber } from "../ports/queues.ts";
import type { Target } from "../ports/target.ts";
import { stackOption } from "../stack-option.ts";
import { revertDriftCommand } from "./drift-commands.ts";
import { problem, type Verdict } from "./finding.ts";

/** SQS keeps a message for 14 days at most. */
const retentionMilliseconds = 14 * 24 * 3_600_000;

const gone = "The queue does not exist: it was deleted outside the stack";

/** The local stack creates its queues at each start. */
const restart = "Restart npm start, which creates it again.";

/** A queue that somebody deleted, and how to create it again. */
export function missingQueue(target: Pick<Target, "stack">): Verdict {
  const isLocal = target.stack.kind === "local";
  return problem(
    `${gone}.`,
    isLocal ? restart : `Create it again: ${revertDriftCommand(target.stack)}`,
  );
}

/**
 * The same for a subscriber's queue. Nobody knows which events were in it, so the replay sends all that it can have
 * held: consumers recognise those that they already have.
 */
export function missingSubscriberQueue(
  target: Pick<Target, "stack" | "clock">,
  { name }: StackSubscriber,
): Verdict {
  const since = wholeSeconds(toRfc3339(target.clock.now() - retentionMilliseconds));
  const replay = `npx paycast replay --to ${name} --since '${since}' --yes${stackOption(target.stack)}`;
  const sendAgain =
    "send the events of the last 14 days again, which consumers recognise by their ids";
  return problem(
    `${gone}, with the events that were in it.`,
    target.stack.kind === "local"
      ? `${restart} Then ${sendAgain}: ${replay}`
      : `Create it again and ${sendAgain}: ${revertDriftCommand(target.stack)} && ${replay}`,
  );
}
