import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type {
  Operation,
  OperationGroup,
  Planned,
  Report,
  Work,
} from "../../operations/described/description.ts";
import type { Target } from "../../operations/ports/target.ts";
import { type Command, type Terminal, UsageError } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Frame, readArguments } from "./read-arguments.ts";
import { reportText } from "./report-text.ts";
import {
  nothingChanged,
  Stopped,
  untilStopped,
  withTarget,
  withTargetToChange,
} from "./target-command.ts";
import { createProgress } from "./terminal.ts";

/** A command that is made from the description of its operations: options, help, preview, progress and exit code. */
export function commandOf(group: OperationGroup): Command {
  return {
    group,
    run: async (args, terminal) => {
      const [verb, ...rest] = args;
      const named = group.operations.find(
        (operation) => verb !== undefined && operation.verb === verb,
      );
      if (named !== undefined) return await runOperation(named, rest, terminal);
      const unnamed = group.operations.find((operation) => operation.verb === undefined);
      if (unnamed !== undefined) return await runOperation(unnamed, args, terminal);
      const verbs = group.operations.map((operation) => operation.verb);
      throw new UsageError(`Choose an operation: ${verbs.join(", ")}.`);
    },
  };
}

async function runOperation(
  operation: Operation,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { asked, frame: given } = await readArguments(operation, args);
  const progress = createProgress(terminal);
  const work: Work = { stopped: terminal.stopped, tell: progress.tell };
  const frame: Telling = { ...given, terminal, end: progress.end };
  try {
    if (operation.kind === "look") {
      const look = (target: Target) => {
        const looking = seen(operation.look(target, asked, work), work);
        return operation.endsByItself === true ? looking : untilStopped(looking, work.stopped);
      };
      const tellOf = async (target: Target) => tell(frame, target, await look(target));
      return await withTarget(frame, tellOf, work.stopped);
    }
    const plan = async (target: Target) =>
      change(frame, target, await seen(operation.plan(target, asked, work), work), work);
    return await withTargetToChange(frame, terminal, plan, work.stopped);
  } catch (error) {
    if (error instanceof Stopped) return leave(frame);
    progress.end();
    const isWrong = error instanceof PaycastError && error.code === "wrong-usage";
    throw isWrong ? new UsageError(error.message) : error;
  }
}

/** An error while reading is ignored if the user has stopped the command. */
async function seen<T>(looking: Promise<T>, { stopped }: Work): Promise<T> {
  return await looking.catch((error: unknown) => {
    throw stopped.aborted ? new Stopped() : error;
  });
}

function leave({ terminal, end }: Telling): ExitCode {
  end();
  terminal.err("Stopped while reading. Nothing was changed.\n");
  terminal.leave?.(exitCodes.negative);
  return exitCodes.negative;
}

interface Telling extends Frame {
  readonly terminal: Terminal;
  /** Clears the line of progress. */
  readonly end: () => void;
}

async function change(
  frame: Telling,
  target: Target,
  { report, yes, act }: Planned,
  work: Work,
): Promise<ExitCode> {
  // A plan that was stopped may be incomplete, and the user has not confirmed a part.
  if (work.stopped.aborted) throw new Stopped();
  if (yes !== undefined && frame.yes === true) {
    return tell(frame, target, await act(target, work), true);
  }
  const below =
    yes === undefined ? (report.below ?? []) : [...(report.below ?? []), nothingChanged.trimEnd()];
  return tell(frame, target, { ...report, below }, false);
}

/** `isDone` is undefined for an operation that only reads. */
function tell(
  { end, terminal, json }: Telling,
  { clock }: Target,
  report: Report,
  isDone?: boolean,
): ExitCode {
  end();
  const { bytes, data } = report;
  if (bytes !== undefined) (terminal.outBytes ?? asText(terminal))(bytes);
  else if (json === true) {
    const shown = isDone === undefined ? data : { done: isDone, ...data };
    terminal.out(`${JSON.stringify(shown, null, 2)}\n`);
  } else terminal.out(reportText(report, { colours: terminal.colours, now: clock.now() }));
  if (report.isGood) return exitCodes.success;
  return report.isUnavailable === true ? exitCodes.unavailable : exitCodes.negative;
}

function asText({ out }: Terminal): (bytes: Uint8Array) => void {
  return (bytes) => out(new TextDecoder().decode(bytes));
}
