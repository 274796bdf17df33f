import {
  type DiscardPlan,
  discardLetters,
  planDiscard,
} from "../../operations/quarantine/discard-letters.ts";
import { counted, failAfter, walking } from "../dead-letters/walking.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { changeOptions, nothingChanged, print, withTarget } from "../frame/target-command.ts";
import { itemsText } from "./item-text.ts";

type Values = ReturnType<typeof parseArguments<typeof changeOptions>>["values"];

export async function runDiscard(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, changeOptions, ["ID..."]);
  if (words.length === 0) throw new UsageError("Give the ids of the dead letters to delete.");
  return await withTarget(values, async (target) => {
    const plan = await walking(terminal, "Looking at dead letters", (walk) =>
      planDiscard(target, words, walk),
    );
    if (plan.discard.length === 0 || values.yes !== true) return preview(plan, values, terminal);
    const { deleted, end, failure } = await walking(terminal, "Looked at", (walk) =>
      discardLetters(target, plan, walk),
    );
    const summary = `${counted(deleted, "dead letter")} deleted.`;
    if (end === "failed") failAfter(terminal, failure, summary);
    print(terminal, values, { done: true, deleted, refused: plan.refused }, () => {
      return `${summary} Records stay.\n${refusedText(plan, terminal)}`;
    });
    return deleted > 0 && plan.refused.length === 0 ? exitCodes.success : exitCodes.negative;
  });
}

function preview(plan: DiscardPlan, values: Values, terminal: Terminal): ExitCode {
  const { discard, refused } = plan;
  print(terminal, values, { done: false, discard, refused }, () => {
    if (discard.length === 0) return `Nothing can be discarded.\n${refusedText(plan, terminal)}`;
    const sample = itemsText(discard.slice(0, 5), terminal);
    const what = `${counted(discard.length, "dead letter")} would be deleted; records stay:\n`;
    return `${what}${sample}${refusedText(plan, terminal)}\n${nothingChanged}`;
  });
  return discard.length === 0 ? exitCodes.negative : exitCodes.success;
}

function refusedText({ refused }: DiscardPlan, terminal: Terminal): string {
  if (refused.length === 0) return "";
  const why =
    "Not discarded, because there is no dead letter or it is the only copy of a callback:\n";
  return `${why}${itemsText(refused, terminal)}`;
}
