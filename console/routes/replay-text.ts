import { isFinished, type Run } from "../../operations/replay/run.ts";
import { counted } from "../../shared/counted.ts";

export function progressText({ position, events, eventsPerSecond }: Run): string {
  const seconds = Math.ceil((events - position) / eventsPerSecond);
  return `${position} of ${counted(events, "event")}, about ${seconds} s left`;
}

/** What a run has done, and how to go on if it is not finished. */
export function sentText(run: Run): string {
  const { subscriber, events, counts } = run;
  const skipped = [
    [counts.pending, "skipped, because their first delivery is still on its way"],
    [counts.gone, "skipped, because the record expired or was deleted"],
    [counts.unwanted, `skipped, because ${subscriber} no longer wants them`],
  ] as const;
  const lines = skipped.flatMap(([count, why]) => (count === 0 ? [] : [`${count} ${why}.`]));
  const goOn = isFinished(run)
    ? []
    : [`Not finished: resume it here, or with npx paycast replay --resume ${run.run} --yes.`];
  const sent = `${counts.sent} of ${counted(events, "event")} sent to ${subscriber}.`;
  return [sent, ...lines, ...goOn].join(" ");
}
