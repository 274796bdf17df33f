import { planReplay, type ReplayPlan } from "../../operations/replay/plan-replay.ts";
import { isFinished, newRun, type Run } from "../../operations/replay/run.ts";
import { createRun, listRuns, loadRun } from "../../operations/replay/run-store.ts";
import { subscriberOf } from "../../operations/replay/send-run.ts";
import type { TargetValues } from "../frame/choose-stack.ts";
import {
  type Command,
  type ExitCode,
  exitCodes,
  type Terminal,
  UsageError,
} from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { createProgress } from "../frame/progress.ts";
import {
  changeOptions,
  nothingChanged,
  print,
  withTargetToChange,
} from "../frame/target-command.ts";
import { hasSelection, readSelection, selectionOptions } from "../replay/read-selection.ts";
import { replayHelp } from "../replay/replay-help.ts";
import { doneText, numberText, planText, runsText } from "../replay/replay-text.ts";
import { rateOf, runsDirectory, sendShown } from "../replay/send-shown.ts";

/** `npx paycast replay`: sends recorded events to a subscriber again. */
export const replay: Command = { help: replayHelp, run };

const options = {
  ...changeOptions,
  ...selectionOptions,
  to: { type: "string" },
  rate: { type: "string" },
  resume: { type: "string" },
} as const;

type Values = ReturnType<typeof parseArguments<typeof options>>["values"];

async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { values, words } = parseArguments(args, options, ["list?"]);
  const [word] = words;
  if (word === "list") return await list(values, terminal);
  if (word !== undefined) throw new UsageError('The only word after replay is "list".');
  return values.resume === undefined
    ? await start(values, terminal)
    : await resume(values.resume, values, terminal);
}

async function list(values: Values, terminal: Terminal): Promise<ExitCode> {
  const runs = await listRuns(runsDirectory());
  const none = "No replay was started in this folder.\n";
  print(terminal, values, { runs }, () => (runs.length === 0 ? none : runsText(runs)));
  return exitCodes.success;
}

async function start(values: Values, terminal: Terminal): Promise<ExitCode> {
  const { to } = values;
  if (to === undefined) throw new UsageError("Say who gets the events: --to SUBSCRIBER.");
  const selection = readSelection(values, Date.now());
  const rate = rateOf(values) ?? defaultRate;
  return await withTargetToChange(values, terminal, async (target) => {
    const plan = await findPlan(terminal, (deps) => planReplay(target, to, selection, deps));
    if (plan === undefined) return exitCodes.negative;
    const isEmpty = plan.entries.length === 0;
    if (values.yes !== true || isEmpty) {
      print(terminal, values, planReport(plan, rate), () => planText(plan, rate, Date.now()));
      return isEmpty ? exitCodes.negative : exitCodes.success;
    }
    const created = newRun(target, plan, rate);
    await createRun(runsDirectory(), created, plan.entries);
    return await sendShown(target, created, values, terminal);
  });
}

const defaultRate = 50;

type PlanDeps = Parameters<typeof planReplay>[3];

/** Undefined if the user stopped it. */
async function findPlan(
  terminal: Terminal,
  find: (deps: PlanDeps) => Promise<ReplayPlan>,
): Promise<ReplayPlan | undefined> {
  const { stopped } = terminal;
  const progress = createProgress(terminal);
  const onProgress: PlanDeps["onProgress"] = (hoursRead, hours) =>
    progress.tell(
      hours === undefined
        ? "Reading the whole history"
        : `Reading: ${numberText(hoursRead)} of ${numberText(hours)} hours`,
    );
  try {
    return await find({ stopped, onProgress });
  } catch (error) {
    if (!stopped.aborted) throw error;
    terminal.err("Stopped while reading. Nothing was sent.\n");
    return undefined;
  } finally {
    progress.end();
  }
}

function planReport({ subscriber, entries, ...plan }: ReplayPlan, eventsPerSecond: number) {
  const { selection, unwanted, pending, byType, first, last, sample } = plan;
  const found = { events: entries.length, unwanted, pending, byType, first, last, sample };
  const estimatedSeconds = entries.length / eventsPerSecond;
  return {
    subscriber: subscriber.name,
    selection,
    ...found,
    eventsPerSecond,
    estimatedSeconds,
    changed: false,
  };
}

async function resume(id: string, values: Values, terminal: Terminal): Promise<ExitCode> {
  if (values.to !== undefined || hasSelection(values)) {
    throw new UsageError("--resume goes on with the run's own subscriber and selection.");
  }
  const known = await loadRun(runsDirectory(), id);
  if (isFinished(known)) {
    const report = { ...known, outcome: "finished", changed: false };
    print(terminal, values, report, () => `The run is finished.\n${doneText(known)}`);
    return exitCodes.success;
  }
  const goingOn = { ...known, eventsPerSecond: rateOf(values) ?? known.eventsPerSecond };
  return await withTargetToChange(targetOf(known, values), terminal, async (target) => {
    if (values.yes === true) return await sendShown(target, goingOn, values, terminal);
    subscriberOf(target, known);
    const text = () => `${doneText(known)}${leftText(known)}${nothingChanged}`;
    print(terminal, values, { ...known, outcome: "unfinished", changed: false }, text);
    return exitCodes.success;
  });
}

function leftText({ events, position, subscriber }: Run): string {
  return `${numberText(events - position)} of the run's events are left for ${subscriber}.\n`;
}

/** The run knows its stack, whatever PAYCAST_STACK says. */
function targetOf({ target }: Run, { stack, local = false }: Values): TargetValues {
  const isLocal = target.kind === "local";
  const isOther = stack !== undefined && (isLocal || stack !== target.name);
  if (isOther || (local && !isLocal)) {
    throw new UsageError("The run was started on another stack. Leave --stack and --local out.");
  }
  return isLocal ? { local: true } : { stack: target.name };
}
