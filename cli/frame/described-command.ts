import type { ParseArgsConfig } from "node:util";
import * as z from "zod";
import type {
  Operation,
  OperationGroup,
  Planned,
  Report,
  Work,
} from "../../operations/described/description.ts";
import type { Target } from "../../operations/target/target.ts";
import { describeIssue } from "../../shared/describe-issues.ts";
import { PaycastError } from "../../shared/paycast-error.ts";
import { readKeyFile } from "../detect/read-file.ts";
import type { TargetValues } from "./choose-stack.ts";
import { type Command, type ExitCode, exitCodes, type Terminal, UsageError } from "./command.ts";
import { optionFields, wordFields } from "./described-fields.ts";
import { helpOf } from "./described-help.ts";
import { parseArguments } from "./parse-options.ts";
import { createProgress } from "./progress.ts";
import { reportText } from "./report-text.ts";
import {
  changeOptions,
  nothingChanged,
  targetOptions,
  withTarget,
  withTargetToChange,
} from "./target-command.ts";

/** A command that is made from the description of its operations: options, help, preview, progress and exit code. */
export function commandOf(group: OperationGroup): Command {
  return {
    help: helpOf(group),
    run: async (args, terminal) => {
      const [verb, ...rest] = args;
      const named = group.operations.find((one) => verb !== undefined && one.verb === verb);
      if (named !== undefined) return await runOperation(named, rest, terminal);
      const unnamed = group.operations.find((one) => one.verb === undefined);
      if (unnamed !== undefined) return await runOperation(unnamed, args, terminal);
      const verbs = group.operations.map((one) => one.verb);
      throw new UsageError(`Say first what to do: ${verbs.join(", ")}.`);
    },
  };
}

async function runOperation(
  operation: Operation,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { values, words } = parseArguments(args, optionsOf(operation), wordsOf(operation));
  const asked = await askedOf(operation, values, words);
  const progress = createProgress(terminal);
  const note = (sentence: string) => terminal.err(`${sentence}\n`);
  const work: Work = { stopped: terminal.stopped, tell: progress.tell, note };
  const frame: Frame = { ...frameSchema.parse(values), terminal, end: progress.end };
  try {
    if (operation.kind === "look") {
      const look = (target: Target) => seen(operation.look(target, asked, work), terminal);
      return tell(frame, await withTarget(frame, look));
    }
    return await withTargetToChange(frame, terminal, async (target) =>
      change(frame, target, await seen(operation.plan(target, asked, work), terminal), work),
    );
  } catch (error) {
    progress.end();
    const isWrong = error instanceof PaycastError && error.code === "wrong-usage";
    throw isWrong ? new UsageError(error.message) : error;
  }
}

/** What ends a look in the middle is no error if the user has stopped it. */
async function seen<T>(looking: Promise<T>, { stopped }: Terminal): Promise<T | undefined> {
  return await looking.catch((error: unknown) => {
    if (!stopped.aborted) throw error;
    return undefined;
  });
}

const frameSchema = z.object({
  stack: z.string().optional(),
  local: z.boolean().optional(),
  json: z.boolean().optional(),
  yes: z.boolean().optional(),
});

interface Frame extends TargetValues {
  readonly yes?: boolean | undefined;
  readonly terminal: Terminal;
  /** Clears the line of progress. */
  readonly end: () => void;
}

async function change(
  frame: Frame,
  target: Target,
  planned: Planned | undefined,
  work: Work,
): Promise<ExitCode> {
  // A plan that was stopped may be only a part, and nobody has agreed to a part.
  if (planned === undefined || work.stopped.aborted) return tell(frame, undefined);
  const { report, yes, act } = planned;
  if (yes !== undefined && frame.yes === true) {
    return tell(frame, await act(target, work), true);
  }
  const below =
    yes === undefined ? (report.below ?? []) : [...(report.below ?? []), nothingChanged.trimEnd()];
  return tell(frame, { ...report, below }, false);
}

/** `isDone` is undefined for a look. */
function tell(
  { terminal, json, end }: Frame,
  report: Report | undefined,
  isDone?: boolean,
): ExitCode {
  end();
  if (report === undefined) {
    terminal.err("Stopped while looking. Nothing was changed.\n");
    return exitCodes.negative;
  }
  const { bytes, data } = report;
  if (bytes !== undefined) (terminal.outBytes ?? asText(terminal))(bytes);
  else if (json === true) {
    const shown = isDone === undefined ? data : { done: isDone, ...data };
    terminal.out(`${JSON.stringify(shown, null, 2)}\n`);
  } else terminal.out(reportText(report, terminal));
  return report.isGood ? exitCodes.success : exitCodes.negative;
}

function asText({ out }: Terminal): (bytes: Uint8Array) => void {
  return (bytes) => out(new TextDecoder().decode(bytes));
}

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Each field of the input is an option, except the one that is given as words. */
function optionsOf(operation: Operation): Options {
  const options = optionFields(operation).map(({ option, type }) => {
    const isFlag = type === "boolean";
    const read = { type: isFlag ? "boolean" : "string", multiple: type === "array" } as const;
    return [option, read] as const;
  });
  const frame = operation.kind === "change" ? changeOptions : targetOptions;
  return { ...Object.fromEntries(options), ...frame };
}

function wordsOf(operation: Operation): string[] {
  return wordFields(operation).map(({ type, placeholder, isRequired }) => {
    if (isRequired) return placeholder;
    return type === "array" ? `${placeholder}...` : `${placeholder}?`;
  });
}

async function askedOf(
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
  words: readonly string[],
): Promise<object> {
  const options: [string, unknown][] = [];
  for (const { name, option, isKeyFile } of optionFields(operation)) {
    const value = values[option];
    const isPath = isKeyFile && typeof value === "string";
    options.push([name, isPath ? await readKeyFile(value, `--${option}`) : value]);
  }
  const given = wordFields(operation).map(
    ({ name, type }, index) =>
      [name, type === "array" ? words.slice(index) : words[index]] as const,
  );
  const all = [...options, ...given].filter(([, value]) => value !== undefined);
  const asked = Object.fromEntries(all);
  const { error } = operation.input.safeParse(asked);
  if (error === undefined) return asked;
  const faults = error.issues.map(
    (issue) => `${optionName(operation, issue.path[0])} ${describeIssue(issue)}`,
  );
  throw new UsageError(`${faults.join("; ")}.`);
}

/** A field as the command line has it: "--kind", or "ID" for one that is given as a word. */
function optionName(operation: Operation, name: PropertyKey | undefined): string {
  const option = optionFields(operation).find((one) => one.name === name);
  if (option !== undefined) return `--${option.option}`;
  return wordFields(operation).find((one) => one.name === name)?.placeholder ?? "The command";
}
