import * as z from "zod";
import { describeIssue } from "../../../shared/errors/describe-issues.ts";
import type { Described } from "../../operations/described/description.ts";
import type { InputField } from "../../operations/described/input-fields.ts";
import {
  type Command,
  type CommandGroup,
  type CommandOperation,
  type Terminal,
  UsageError,
} from "./command.ts";
import { frameOf, optionFields, optionText, wordFields } from "./described-help.ts";
import type { ExitCode } from "./exit-codes.ts";
import { parseOptions, strayArgument } from "./parse-options.ts";
import { readInput, readKeyFile } from "./read-file.ts";

const frameSchema = z.object({
  stack: z.string().optional(),
  local: z.boolean().optional(),
  json: z.boolean().optional(),
  yes: z.boolean().optional(),
});

/** The common options of a command line. */
export type Frame = z.output<typeof frameSchema>;

/** An operation that only the command has, such as one that runs until Ctrl-C. */
export interface OwnOperation<Input extends z.ZodObject>
  extends Omit<CommandOperation, "kind" | "input"> {
  readonly input: Input;
  readonly run: (asked: z.output<Input>, frame: Frame, terminal: Terminal) => Promise<ExitCode>;
}

/** Needs no AWS clients, so a command that works without a stack starts immediately. */
export function ownCommand<Input extends z.ZodObject>(
  described: Omit<CommandGroup, "operations">,
  { run, ...own }: OwnOperation<Input>,
): Command {
  const operation: CommandOperation = { kind: "own", ...own };
  const group = { ...described, operations: [operation] };
  return {
    group,
    run: async (args, terminal) => {
      const { asked, frame } = await readArguments(operation, args);
      return await run(own.input.parse(asked), frame, terminal);
    },
  };
}

/** The arguments, validated against the operation's input. Throws `UsageError`. */
export async function readArguments(
  operation: CommandOperation,
  args: readonly string[],
): Promise<{ readonly asked: object; readonly frame: Frame }> {
  const { values, positionals } = parseOptions(args, optionsOf(operation));
  checkWords(wordFields(operation), positionals);
  return { asked: await askedOf(operation, values, positionals), frame: frameSchema.parse(values) };
}

function checkWords(fields: readonly InputField[], words: readonly string[]): void {
  const missing = fields.find(({ isRequired }, index) => isRequired && !words[index]);
  if (missing !== undefined) throw new UsageError(`Give ${missing.placeholder}.`);
  const takesAny = fields.some(({ type }) => type === "array");
  if (takesAny || words.length <= fields.length) return;
  throw new UsageError(fields.length === 0 ? strayArgument : "There is one argument too many.");
}

/** Each field of the input is an option, except those that are given as words. */
function optionsOf(operation: CommandOperation) {
  const text = { type: "string" as const };
  const flag = { type: "boolean" as const };
  const own = optionFields(operation).map(({ option, type }) => {
    const read = type === "boolean" ? flag : { ...text, multiple: type === "array" };
    return [option, read] as const;
  });
  const frame = frameOf(operation).map((name) => [name, name === "stack" ? text : flag] as const);
  return Object.fromEntries([...own, ...frame]);
}

async function askedOf(
  operation: Described,
  values: Readonly<Record<string, unknown>>,
  words: readonly string[],
): Promise<object> {
  const options: [string, unknown][] = [];
  for (const field of optionFields(operation)) {
    if (field.isRequired && values[field.option] === undefined) {
      throw new UsageError(`Give ${optionText(field)}.`);
    }
    options.push([field.name, await readValue(field, values[field.option])]);
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

async function readValue({ option, isKeyFile, isInputFile }: InputField, value: unknown) {
  if (typeof value !== "string") return value;
  if (isKeyFile) return await readKeyFile(value, `--${option}`);
  return isInputFile ? await readInput(value, `--${option}`) : value;
}

/** A field as the command line has it: "--kind", or "ID" for one that is given as a word. */
function optionName(operation: Described, name: PropertyKey | undefined): string {
  const option = optionFields(operation).find((field) => field.name === name);
  if (option !== undefined) return `--${option.option}`;
  return wordFields(operation).find((field) => field.name === name)?.placeholder ?? "The command";
}
