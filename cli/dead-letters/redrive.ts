import {
  planRedrive,
  type Redriven,
  type RedrivePlan,
  redriveDeadLetters,
} from "../../operations/dead-letters/redrive-dead-letters.ts";
import { counted } from "../../shared/counted.ts";
import { type ExitCode, exitCodes, type Terminal, UsageError } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import {
  changeOptions,
  nothingChanged,
  print,
  withTargetToChange,
} from "../frame/target-command.ts";
import { lettersText } from "./list.ts";
import { failAfter, looking, walking } from "./walking.ts";

const options = { ...changeOptions, all: { type: "boolean" } } as const;

type Values = ReturnType<typeof parseArguments<typeof options>>["values"];

export async function runRedrive(
  subscriber: string,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["ID..."]);
  if (words.length > 0 === (values.all === true)) {
    throw new UsageError("Give either message ids, or --all.");
  }
  return await withTargetToChange(values, terminal, async (target) => {
    const ids = values.all === true ? undefined : words;
    const plan = await looking(terminal, (walk) => planRedrive(target, subscriber, ids, walk));
    if (plan === undefined) return exitCodes.negative;
    if (plan.count === 0 || values.yes !== true) return preview(plan, values, terminal);
    const redriven = await walking(terminal, "Received", (walk) =>
      redriveDeadLetters(target, plan, walk),
    );
    return tell(redriven, values, terminal);
  });
}

function preview(plan: RedrivePlan, values: Values, terminal: Terminal): ExitCode {
  const { count, sample, way, subscriber } = plan;
  print(terminal, values, { done: false, subscriber, count, way, sample }, () => {
    if (count === 0) return `No dead letters of ${subscriber}.\n`;
    const by = way === "task" ? " SQS itself moves them." : "";
    const what = `${counted(count, "event")} would be sent to the queue of ${subscriber} again.${by}\n`;
    const more = count > sample.length ? `and ${count - sample.length} more\n` : "";
    return `${what}${lettersText(sample, terminal)}${more}\n${nothingChanged}`;
  });
  return count === 0 ? exitCodes.negative : exitCodes.success;
}

function tell(redriven: Redriven, values: Values, terminal: Terminal): ExitCode {
  const { failure, ...result } = redriven;
  const done = `${counted(result.moved, "event")} sent again.`;
  if (result.end === "failed") failAfter(terminal, failure, done);
  print(terminal, values, { done: true, ...result }, () => `${done}\n${restText(redriven)}`);
  const isAll = result.end === "empty" && result.notReached + result.cameBack === 0;
  return isAll ? exitCodes.success : exitCodes.negative;
}

function restText({ end, notReached, cameBack }: Redriven): string {
  const lines: string[] = [];
  if (notReached > 0) {
    lines.push(
      `${notReached} of the chosen were not reached: somebody else has them, or they wait behind an event of the same order that was not chosen.`,
    );
  }
  if (cameBack > 0) {
    lines.push(`${cameBack} stay: the same event was already sent in this run, or failed again.`);
  }
  if (end === "task-running") lines.push("SQS goes on with the redrive without this command.");
  if (end === "task-cancelled") lines.push("Somebody cancelled the redrive in SQS.");
  if (end === "stopped" || end === "bound") {
    lines.push("Ended early: run the same command again to go on.");
  }
  return lines.map((line) => `${line}\n`).join("");
}
