import {
  followRedriven,
  type Outcome,
  type RedrivenItem,
} from "../../operations/quarantine/follow-redriven.ts";
import type { QuarantineRedrivePlan } from "../../operations/quarantine/plan-redrive.ts";
import {
  type QuarantineRedriven,
  redriveQuarantine,
} from "../../operations/quarantine/redrive-quarantine.ts";
import type { Target } from "../../operations/target/target.ts";
import { counted } from "../../shared/counted.ts";
import type { JobControl } from "../server/jobs.ts";
import { endText, failedAfter } from "./work-text.ts";

interface RedriveControl extends JobControl {
  /** Nobody else walks through the dead letters meanwhile. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** The dead letters are free again; what was sent is now followed. */
  readonly onSent: () => void;
}

/** As long as the command waits. */
const waitMilliseconds = 60_000;

/** Sends what was planned, waits for what comes of it, and tells it in words. */
export async function redriveAndFollow(
  target: Target,
  plan: QuarantineRedrivePlan,
  { stopped, tell, inTurn, onSent }: RedriveControl,
): Promise<string> {
  const all = plan.ids.length;
  tell("Waiting for the dead letters");
  const redriven = await inTurn(() => {
    const onProgress = (count: number) => tell(`Sent to the inbox: ${count} of ${all}`);
    return redriveQuarantine(target, plan, { stopped, onProgress });
  });
  onSent();
  const { sent, end, failure } = redriven;
  const done = `${counted(sent.length, "message")} sent to the inbox.`;
  if (end === "failed") throw failedAfter(done, failure);
  const onProgress = (ended: number) => tell(`Processed: ${ended} of ${sent.length}`);
  onProgress(0);
  const items = await followRedriven(target, sent, { waitMilliseconds, stopped, onProgress });
  return redrivenText(redriven, items);
}

function redrivenText(
  { sent, notSent, newLetters, end }: QuarantineRedriven,
  items: readonly RedrivenItem[],
): string {
  const left = notSent === 0 ? "" : ` ${notSent} not: processed meanwhile, or not reached.`;
  const came =
    newLetters === 0 ? "" : ` ${counted(newLetters, "new dead letter")} came meanwhile and stayed.`;
  const outcomes = outcomeTexts(items.map(({ outcome }) => outcome)).join(" ");
  const sentText = `${counted(sent.length, "message")} sent to the inbox.`;
  return `${sentText}${left} ${outcomes}${endText(end)}${came}`.trim();
}

/** In the order in which they are told: what is done comes first. */
const outcomeKinds: readonly Outcome["kind"][] = [
  ...(["published", "known-fact", "undelivered"] as const),
  ...(["quarantined-again", "waiting", "not-followed"] as const),
];

/** Each kind of outcome once, with its count. */
function outcomeTexts(outcomes: readonly Outcome[]): string[] {
  const counts = new Map<string, number>();
  const inOrder = outcomeKinds.flatMap((kind) => outcomes.filter((one) => one.kind === kind));
  for (const outcome of inOrder) {
    const text = outcomeText(outcome);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => `${count} ${text}.`);
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "published":
      return "processed and published";
    case "known-fact":
      return "processed: the fact was known, so there was nothing to publish";
    case "quarantined-again":
      return `came back to quarantine (${outcome.reason})`;
    case "undelivered":
      return `processed, but not yet delivered to ${outcome.pending.join(", ")}`;
    case "waiting":
      return "still in the inbox";
    case "not-followed":
      return "without a record to follow";
  }
}

export function discardedText(deleted: number, end: string): string {
  return `${counted(deleted, "dead letter")} deleted. Records stay.${endText(end)}`;
}
