import type { Described } from "../../operations/described/description.ts";
import { timeForms } from "../../operations/described/fields.ts";
import {
  fieldsOf,
  type InputField,
  optionDescription,
} from "../../operations/described/input-fields.ts";
import type { CommandGroup, CommandOperation, FrameOption } from "./command.ts";
import { exitCodesText } from "./exit-codes.ts";

/** The fields that a command line takes without an option, in their order. */
export function wordFields(operation: Described): readonly InputField[] {
  const fields = fieldsOf(operation);
  return (operation.words ?? []).flatMap((word) => fields.filter(({ name }) => name === word));
}

export function optionFields(operation: Described): readonly InputField[] {
  return fieldsOf(operation).filter(({ name }) => operation.words?.includes(name) !== true);
}

/** The options that commands have in common, as the help explains them. */
const frameOptions = {
  yes: ["--yes", "make the change; without it, only a preview is shown"],
  stack: [
    "--stack NAME",
    "a deployed stack, with your AWS credentials; by default the one in PAYCAST_STACK, otherwise the local stack",
  ],
  local: ["--local", "the local stack, even if PAYCAST_STACK is set"],
  json: ["--json", "print the result as JSON"],
  "local-time": [
    "--local-time",
    "show times in the time zone of this machine; otherwise, and in JSON, they are in UTC",
  ],
} as const satisfies Readonly<Record<FrameOption, readonly [string, string]>>;

const frameNames: readonly FrameOption[] = ["yes", "stack", "local", "json", "local-time"];

export function frameOf({ kind, frame }: CommandOperation): readonly FrameOption[] {
  return frame ?? frameNames.filter((name) => name !== "yes" || kind === "change");
}

const width = 100;
/** Where the explanation of an option begins. */
const column = 22;

/** The help of a command, from the description of its operations. */
export function helpOf(group: CommandGroup): string {
  const { name, about, operations, examples } = group;
  const usages = operations.map(
    (operation) => `npx paycast ${[name, ...usageOf(operation)].join(" ")}`,
  );
  const longest = Math.max(...operations.map(({ verb = "" }) => verb.length)) + 4;
  const verbs = operations.map(({ verb, summary }) =>
    verb === undefined ? wrapped(summary, 0).join("\n") : entry(verb, summary, longest),
  );
  const parts = [
    `Usage: ${usages.join("\n       ")}`,
    ...about.map((paragraph) => wrapped(paragraph, 0).join("\n")),
    verbs.join("\n"),
    `Options\n${[...optionLines(group), ...frameLines(group)].join("\n")}`,
    `Examples\n${examples.map((example) => `  ${exampleLine(example)}`).join("\n")}`,
    exitCodesText,
    ...timeLines(group),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function exampleLine(example: string): string {
  return example.includes("npx paycast") ? example : `npx paycast ${example}`;
}

/** What a user may write for a TIME. */
function timeLines({ operations }: CommandGroup): string[] {
  const fields = operations.flatMap((operation) => [
    ...wordFields(operation),
    ...optionFields(operation),
  ]);
  return fields.some(({ placeholder }) => placeholder === "TIME") ? [`TIME is ${timeForms}.`] : [];
}

/** `requires` also names optional words. */
function usageOf(operation: CommandOperation): string[] {
  const { kind, verb, requires } = operation;
  const words = wordFields(operation).flatMap(({ type, placeholder, isRequired }) => {
    if (isRequired) return [placeholder];
    if (requires !== undefined) return [];
    return [type === "array" ? `[${placeholder}...]` : `[${placeholder}]`];
  });
  const required = optionFields(operation).filter(({ isRequired }) => isRequired);
  const isNamed = ({ option, isRequired }: InputField) =>
    isRequired || requires?.split(/[ ()]/).includes(`--${option}`) === true;
  return [
    ...(verb === undefined ? [] : [verb]),
    ...words,
    ...required.map(optionText),
    ...(requires === undefined ? [] : [requires]),
    ...(optionFields(operation).every(isNamed) ? [] : ["[options]"]),
    ...(kind === "change" ? ["[--yes]"] : []),
  ];
}

/** Each option once, although several operations have it, and the verbs that have it. */
function optionsIn({ name, operations }: CommandGroup) {
  const found = new Map<string, { readonly field: InputField; readonly verbs: string[] }>();
  for (const operation of operations) {
    for (const field of optionFields(operation)) {
      const verbs = found.get(field.option)?.verbs ?? [];
      found.set(field.option, { field, verbs: [...verbs, operation.verb ?? name] });
    }
  }
  return [...found.values()];
}

/** "--kind green|black" */
export function optionText({ option, type, placeholder }: InputField): string {
  return type === "boolean" ? `--${option}` : `--${option} ${placeholder}`;
}

/** An option of some verbs only names them. */
function optionLines(group: CommandGroup): string[] {
  return optionsIn(group).map(({ field, verbs }) => {
    const of = verbs.length === group.operations.length ? "" : ` (${verbs.join(", ")})`;
    return entry(optionText(field), `${optionDescription(field)}${of}`, column);
  });
}

export function frameIn({ operations }: CommandGroup): FrameOption[] {
  return frameNames.filter((name) =>
    operations.some((operation) => frameOf(operation).includes(name)),
  );
}

function frameLines(group: CommandGroup): string[] {
  const common = frameIn(group).map((name) => frameOptions[name]);
  return [...common, ["-h, --help", "print this"] as const].map(([name, text]) =>
    entry(name, text, column),
  );
}

/** A name, and its explanation beside it, or below it if the name is long. */
function entry(name: string, text: string, at: number): string {
  const lines = wrapped(text, at);
  const isLong = name.length + 4 > at;
  const first = isLong
    ? `  ${name}\n${lines[0]}`
    : `  ${name}`.padEnd(at) + (lines[0] ?? "").slice(at);
  return [first, ...lines.slice(1)].join("\n");
}

/** Lines of at most `width` characters, each with an indentation. */
function wrapped(text: string, indentation: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indentation + line.length + word.length >= width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((helpLine) => " ".repeat(indentation) + helpLine);
}
