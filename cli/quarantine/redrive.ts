import {
  followRedriven,
  type Outcome,
  type RedrivenItem,
} from "../../operations/quarantine/follow-redriven.ts";
import {
  planQuarantineRedrive,
  type QuarantineRedrivePlan,
  type Selection,
} from "../../operations/quarantine/plan-redrive.ts";
import type { QuarantinedItem } from "../../operations/quarantine/quarantined-item.ts";
import {
  type QuarantineRedriven,
  redriveQuarantine,
} from "../../operations/quarantine/redrive-quarantine.ts";
import type { Target } from "../../operations/target/target.ts";
import { counted } from "../../shared/counted.ts";
import { failAfter, looking, walking } from "../dead-letters/walking.ts";
import { columns } from "../frame/columns.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { createProgress } from "../frame/progress.ts";
import {
  changeOptions,
  nothingChanged,
  print,
  withTargetToChange,
} from "../frame/target-command.ts";
import { aboutText, hiddenText, itemsText } from "./item-text.ts";
import { wholeNumber } from "./list.ts";
import { placeOptions, readPlace } from "./read-place.ts";

const options = {
  ...changeOptions,
  ...placeOptions,
  reason: { type: "string" },
  all: { type: "boolean" },
  wait: { type: "string" },
} as const;

type Values = ReturnType<typeof parseArguments<typeof options>>["values"];

export async function runRedrive(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["ID..."]);
  const selection = selectionOf(values, words);
  const waitMilliseconds = wholeNumber(values.wait ?? "60", "--wait", 0) * 1000;
  return await withTargetToChange(values, terminal, async (target) => {
    const plan = await looking(terminal, (look) => planQuarantineRedrive(target, selection, look));
    if (plan === undefined) return exitCodes.negative;
    if (plan.ids.length === 0 || values.yes !== true) return preview(plan, values, terminal);
    return await redrive(target, plan, waitMilliseconds, values, terminal);
  });
}

/** Ids and a reason may be looked for in one order or time; an order or a time alone means everything in it. */
function selectionOf(values: Values, ids: readonly string[]): Selection {
  const { reason, all = false } = values;
  const place = readPlace(values, Date.now());
  const hasPlace = Object.keys(place).length > 0;
  const ways = [ids.length > 0, reason !== undefined, all].filter(Boolean).length;
  if (ways > 1 || (hasPlace ? all : ways === 0)) {
    throw new UsageError("Give either ids, or --reason R, or --order, or --since, or --all.");
  }
  return ids.length > 0 ? { ids, ...place } : { filter: { reason, ...place } };
}

function preview(plan: QuarantineRedrivePlan, values: Values, terminal: Terminal): ExitCode {
  const { ids, sample, gone, foreign, hiddenLetters, atLimit } = plan;
  const leftOut = { gone, foreign, hiddenLetters, atLimit };
  const result = { done: false, count: ids.length, sample, ...leftOut };
  print(terminal, values, result, () => {
    const skipped = leftOutText(plan);
    if (ids.length === 0) return `There is nothing to redrive.\n${skipped}`;
    const what = `${counted(ids.length, "message")} would be sent to the inbox again:\n`;
    const more = ids.length > sample.length ? `and ${ids.length - sample.length} more\n` : "";
    const table = itemsText(sample, terminal);
    return `${what}${table}${more}${skipped}${hiddenText(plan)}\n${nothingChanged}`;
  });
  return ids.length === 0 ? exitCodes.negative : exitCodes.success;
}

function leftOutText({ gone, foreign }: LeftOut): string {
  const forGone = "for subscribers that are no longer configured";
  const notOurs = "that Paycast did not write and can never process";
  return `${leftOut(gone, "event", forGone)}${leftOut(foreign, "message", notOurs)}`;
}

type LeftOut = Pick<QuarantineRedrivePlan, "gone" | "foreign">;

function leftOut(items: readonly QuarantinedItem[], thing: string, why: string): string {
  if (items.length === 0) return "";
  const letters = items.filter(({ where }) => where !== "record").slice(0, 5);
  const ids = letters.map(({ id }) => ` ${id}`).join("");
  const how = ids && ` To delete the dead letters: npx paycast quarantine discard${ids}`;
  return `Left out: ${counted(items.length, thing)} ${why}.${how}\n`;
}

async function redrive(
  target: Target,
  plan: QuarantineRedrivePlan,
  waitMilliseconds: number,
  values: Values,
  terminal: Terminal,
): Promise<ExitCode> {
  const result = await walking(terminal, "Sent to the inbox", (walk) =>
    redriveQuarantine(target, plan, walk),
  );
  const { sent, notSent, newLetters, end, failure } = result;
  if (end === "failed") {
    failAfter(terminal, failure, `${counted(sent.length, "message")} had been sent.`);
  }
  const items = await follow(target, result, waitMilliseconds, terminal);
  const isWaited = waitMilliseconds > 0;
  const counts = { sent: sent.length, notSent, newLetters };
  const { gone, foreign } = plan;
  const shown = { done: true, ...counts, gone, foreign, stopped: end === "stopped", items };
  print(terminal, values, shown, () => {
    return `${redrivenText(result, items, isWaited, terminal)}${leftOutText(plan)}`;
  });
  const isGood = end === "empty" && (!isWaited || items.every(({ outcome }) => isFine(outcome)));
  return isGood ? exitCodes.success : exitCodes.negative;
}

async function follow(
  target: Target,
  { sent }: QuarantineRedriven,
  waitMilliseconds: number,
  terminal: Terminal,
): Promise<readonly RedrivenItem[]> {
  const progress = createProgress(terminal);
  const onProgress = (ended: number) => progress.tell(`Processed: ${ended} of ${sent.length}`);
  const { stopped } = terminal;
  const items = await followRedriven(target, sent, { waitMilliseconds, stopped, onProgress });
  progress.end();
  return items;
}

function isFine({ kind }: Outcome): boolean {
  return kind === "published" || kind === "known-fact" || kind === "not-followed";
}

function redrivenText(
  { sent, notSent, newLetters, end }: QuarantineRedriven,
  items: readonly RedrivenItem[],
  isWaited: boolean,
  { colours }: Terminal,
): string {
  const rows = items.map(({ item, outcome }) => [item.id, aboutText(item), outcomeText(outcome)]);
  const table = columns(["id", "about", "outcome"].map(colours.bold), isWaited ? rows : []);
  const left = notSent > 0 ? `, ${notSent} not` : "";
  const early = end === "empty" ? "" : " Ended early: run the same command again to go on.";
  const again = items.some(({ outcome }) => outcome.kind === "quarantined-again");
  const note = again
    ? "What was quarantined again is a new dead letter, and its record stays.\n"
    : "";
  const summary = `${counted(sent.length, "message")} sent to the inbox${left}.${early}\n`;
  return `${isWaited ? `${table}\n` : ""}${summary}${newLettersText(newLetters)}${note}`;
}

function newLettersText(newLetters: number): string {
  if (newLetters === 0) return "";
  const came = counted(newLetters, "dead letter");
  return `${came} came after the redrive began and stayed. Look at the list again.\n`;
}

function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case "published":
      return "published";
    case "known-fact":
      return "known fact: nothing to publish";
    case "quarantined-again":
      return `quarantined again: ${outcome.reason}: ${outcome.detail}`;
    case "undelivered":
      return `published, not yet delivered to ${outcome.pending.join(", ")}`;
    case "waiting":
      return "still waiting in the inbox";
    case "not-followed":
      return "sent; it has no record to follow";
  }
}
