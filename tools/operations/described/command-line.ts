import { shellWord } from "../../../shared/text/shell-word.ts";
import type { InputField, OperationForm } from "./input-fields.ts";

export type FormInput = Readonly<Record<string, unknown>>;

/**
 * The command for an operation with this input, to copy to a shell. Values may be untrusted, so each one stays one
 * word, and none can be taken for an option. `stack` is the name of a deployed stack.
 */
export function commandLine(
  { command, verb, fields, words }: OperationForm,
  input: FormInput,
  stack: string | undefined,
): string {
  const given = words.flatMap((name) => textsOf(input[name]));
  const options = fields
    .filter(({ name }) => !words.includes(name))
    .flatMap((field) => optionParts(field, input[field.name]));
  const onStack = stack === undefined ? [] : [optionPart("stack", stack)];
  // After "--" nothing is an option.
  const isDashed = given.some((word) => word.startsWith("-"));
  const quoted = given.map(shellWord);
  return [
    "npx paycast",
    command,
    ...(verb === undefined ? [] : [verb]),
    ...(isDashed ? [] : quoted),
    ...options,
    ...onStack,
    ...(isDashed ? ["--", ...quoted] : []),
  ].join(" ");
}

function optionParts({ option, type }: InputField, value: unknown): string[] {
  if (type === "boolean") return value === true ? [`--${option}`] : [];
  return textsOf(value).map((text) => optionPart(option, text));
}

/** A value that begins with a dash belongs to its option only if no space is between them. */
export function optionPart(option: string, text: string): string {
  return `--${option}${text.startsWith("-") ? "=" : " "}${shellWord(text)}`;
}

function textsOf(value: unknown): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((part) => part !== undefined && part !== "").map(String);
}
