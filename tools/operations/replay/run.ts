import { randomBytes } from "node:crypto";
import {
  counted,
  durationText,
  numberText,
  wholeSeconds,
} from "../../../shared/text/number-text.ts";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { Report } from "../described/description.ts";
import type { EventEntry } from "../records/read-records.ts";
import type { ReplayPlan } from "./plan-replay.ts";

/** Why an event of the plan is not sent. */
export type Skip = "pending" | "gone";

type Counts = Record<Skip | "sent", number>;

/** A replay that is being sent. Only memory holds it: the same events may be sent again at any time. */
export interface Run {
  readonly id: string;
  readonly plan: ReplayPlan;
  readonly counts: Counts;
  /** Events that were read and not sent yet. */
  unsent: () => readonly EventEntry[];
  /** When the last event that was sent or skipped was recorded. */
  recordedAt: string | undefined;
}

export function newRun(plan: ReplayPlan, nowMilliseconds: number): Run {
  return {
    id: newRunId(nowMilliseconds),
    plan,
    counts: { sent: 0, pending: 0, gone: 0 },
    unsent: () => [],
    recordedAt: undefined,
  };
}

/** "20261115-101026-3f9a2c": people read when it was, and two runs of one second differ. */
function newRunId(nowMilliseconds: number): string {
  const digits = toRfc3339(nowMilliseconds).replace(/\D/g, "");
  return `${digits.slice(0, 8)}-${digits.slice(8, 14)}-${randomBytes(3).toString("hex")}`;
}

export function progressText(
  { counts, recordedAt = "", plan: { events } }: Run,
  eventsPerSecond: number,
): string {
  const rest = durationText(Math.max(0, events - counts.sent) / eventsPerSecond);
  return `Sending: ${numberText(counts.sent)} of ${numberText(events)}, recorded until ${wholeSeconds(recordedAt)}, ${rest} to go`;
}

/** `command` continues a run that was stopped. */
export function reportOf(run: Run, command?: string): Report {
  const isOver = command === undefined;
  const { id, counts, plan } = run;
  return {
    lines: isOver ? doneLines(run) : [...doneLines(run), `Stopped. To continue: ${command}`],
    data: {
      run: id,
      subscriber: plan.subscriber.name,
      events: plan.events,
      counts,
      done: isOver,
      outcome: isOver ? "finished" : "stopped",
      ...(!isOver && { continueWith: command }),
    },
    isGood: isOver && counts.sent > 0,
  };
}

export function doneLines({ id, plan: { subscriber, events }, counts }: Run): readonly string[] {
  const skipped = [
    [counts.pending, "their first delivery is still pending"],
    [counts.gone, "their records expired or were deleted"],
  ] as const;
  return [
    `Run ${id}: ${numberText(counts.sent)} of ${counted(events, "event")} sent to ${subscriber.name}.`,
    ...skipped.flatMap(([count, why]) =>
      count === 0 ? [] : [`${numberText(count)} skipped: ${why}.`],
    ),
  ];
}
