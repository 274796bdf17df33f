import {
  type DiscardPlan,
  discardLetters,
  planDiscard,
} from "../../operations/quarantine/discard-letters.ts";
import type { QuarantinedItem } from "../../operations/quarantine/quarantined-item.ts";
import { counted } from "../../shared/counted.ts";
import { failAfter, looking, walking } from "../dead-letters/walking.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import {
  changeOptions,
  nothingChanged,
  print,
  withTargetToChange,
} from "../frame/target-command.ts";
import { itemsText } from "./item-text.ts";

type Values = ReturnType<typeof parseArguments<typeof changeOptions>>["values"];

export async function runDiscard(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, changeOptions, ["ID..."]);
  if (words.length === 0) throw new UsageError("Give the ids of the dead letters to delete.");
  return await withTargetToChange(values, terminal, async (target) => {
    const plan = await looking(terminal, (walk) => planDiscard(target, words, walk));
    if (plan === undefined) return exitCodes.negative;
    if (plan.discard.length === 0 || values.yes !== true) return preview(plan, values, terminal);
    const { deleted, end, failure } = await walking(terminal, "Looked at", (walk) =>
      discardLetters(target, plan, walk),
    );
    const summary = `${counted(deleted, "dead letter")} deleted.`;
    if (end === "failed") failAfter(terminal, failure, summary);
    print(
      terminal,
      values,
      { done: true, deleted, refused: plan.refused, missed: plan.missed },
      () => {
        return `${summary} Records stay.\n${refusedText(plan, terminal)}`;
      },
    );
    const isAll = plan.refused.length + plan.missed.length === 0;
    return deleted > 0 && isAll ? exitCodes.success : exitCodes.negative;
  });
}

function preview(plan: DiscardPlan, values: Values, terminal: Terminal): ExitCode {
  const { discard, refused, missed } = plan;
  print(terminal, values, { done: false, discard, refused, missed }, () => {
    if (discard.length === 0) return `Nothing can be discarded.\n${refusedText(plan, terminal)}`;
    const sample = itemsText(discard.slice(0, 5), terminal);
    const what = `${counted(discard.length, "dead letter")} would be deleted; records stay:\n`;
    return `${what}${sample}${refusedText(plan, terminal)}\n${nothingChanged}`;
  });
  return discard.length === 0 ? exitCodes.negative : exitCodes.success;
}

function refusedText({ refused, missed }: DiscardPlan, terminal: Terminal): string {
  return [
    tableBelow(
      "Not discarded, because there is no dead letter or it is the only copy of a callback:",
      refused,
      terminal,
    ),
    tableBelow(
      "Not discarded, because a subscriber still misses the event. Redrive it, or take the subscriber out of the config and deploy:",
      missed,
      terminal,
    ),
  ].join("");
}

function tableBelow(why: string, items: readonly QuarantinedItem[], terminal: Terminal): string {
  return items.length === 0 ? "" : `${why}\n${itemsText(items, terminal)}`;
}
