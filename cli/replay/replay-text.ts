import type { ReplayPlan } from "../../operations/replay/plan-replay.ts";
import { isFinished, type Run } from "../../operations/replay/run.ts";
import { durationText } from "../../shared/duration-text.ts";
import { columns, pairs } from "../frame/columns.ts";
import { nothingChanged } from "../frame/target-command.ts";
import { timeText } from "../frame/time-text.ts";

export function numberText(count: number): string {
  return count.toLocaleString("en-US");
}

function eventsText(count: number): string {
  return `${numberText(count)} ${count === 1 ? "event" : "events"}`;
}

export function planText(plan: ReplayPlan, eventsPerSecond: number, now: number): string {
  const { subscriber, entries, unwanted, pending, byType, first, last, sample } = plan;
  const { name } = subscriber;
  if (entries.length === 0) return nothingText(plan);
  const took = durationText(Math.ceil(entries.length / eventsPerSecond));
  const types = Object.entries(byType).map(([type, count]) => [type, numberText(count)] as const);
  const most = pending === undefined ? "At most " : "";
  return `${most}${eventsText(entries.length)} would be sent to ${name}. At ${eventsPerSecond} a second it takes at least ${took}.

${pairs([
  ["first recorded", first && timeText(first, now)],
  ["last recorded", last && timeText(last, now)],
  ...types,
  [
    "left out: not wanted",
    unwanted === 0 ? undefined : `${numberText(unwanted)} (by the filter of ${name})`,
  ],
])}
${columns(
  ["recorded", "type", "subject", "sequence", "event id"],
  sample.map((one) => [one.recordedAt, one.type, one.subject ?? "-", String(one.sequence), one.id]),
)}${entries.length > sample.length ? `... and ${eventsText(entries.length - sample.length)} more\n` : ""}
${pendingText(plan)}${nothingChanged}`;
}

/** What the subscriber has not got for the first time yet. */
function pendingText({ subscriber: { name }, pending }: ReplayPlan): string {
  if (pending === undefined)
    return `Events that ${name} has not got for the first time yet are skipped: their normal delivery sends them.\n`;
  if (pending === 0) return "";
  const are =
    pending === 1 ? "is still on its normal way and is" : "are still on their normal way and are";
  return `${numberText(pending)} ${are} left out. If this lasts longer than some minutes, look with: npx paycast quarantine list --order ORDER_NO\n`;
}

function nothingText(plan: ReplayPlan): string {
  const { unwanted, pending = 0 } = plan;
  const { name } = plan.subscriber;
  if (unwanted + pending === 0)
    return "No recorded event matches. Records expire: see callbacks.recordExpiryDays.\n";
  if (pending > 0) return `There is nothing to send to ${name}. ${pendingText(plan)}`;
  return `The filter of ${name} leaves out everything that matches: ${eventsText(unwanted)}.\n`;
}

export function startText({ run, events, subscriber, eventsPerSecond }: Run): string {
  return `Run ${run}: ${eventsText(events)} to ${subscriber}, at most ${eventsPerSecond} a second.\n`;
}

export function progressText({ position, events, eventsPerSecond }: Run): string {
  const left = durationText((events - position) / eventsPerSecond);
  return `Sending: ${numberText(position)} of ${numberText(events)}, ${left} left`;
}

export function resumeText({ run }: Run): string {
  return `npx paycast replay --resume ${run} --yes`;
}

/** What was done so far. */
export function doneText({ run, subscriber, events, counts }: Run): string {
  const skipped = [
    [
      counts.pending,
      "skipped: not delivered for the first time yet, their normal delivery sends them",
    ],
    [counts.gone, "skipped: the record expired or was deleted"],
    [counts.unwanted, `skipped: ${subscriber} no longer wants them`],
  ] as const;
  const lines = skipped.flatMap(([count, why]) =>
    count === 0 ? [] : [`${numberText(count)} ${why}.\n`],
  );
  return `Run ${run}: ${numberText(counts.sent)} of ${eventsText(events)} sent to ${subscriber}.\n${lines.join("")}`;
}

export function runsText(runs: readonly Run[]): string {
  const rows = runs.map((run) => [
    run.run,
    run.target.name,
    run.subscriber,
    `${numberText(run.position)} of ${numberText(run.events)}`,
    isFinished(run) ? "finished" : "can be resumed",
  ]);
  return columns(["run", "stack", "subscriber", "done", "state"], rows);
}
