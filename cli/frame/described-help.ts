import type { Operation, OperationGroup } from "../../operations/described/description.ts";
import { exitCodesText } from "./command.ts";
import { type Field, optionFields, wordFields } from "./described-fields.ts";
import { changeHelp, targetHelp } from "./target-command.ts";

const width = 100;
/** Where the explanation of an option begins. */
const column = 22;

/** The help of a command, from the description of its operations. */
export function helpOf(group: OperationGroup): string {
  const { name, about, operations, examples } = group;
  const usages = operations.map((one) => `npx paycast ${[name, ...usageOf(one)].join(" ")}`);
  const longest = Math.max(...operations.map(({ verb = "" }) => verb.length)) + 4;
  const verbs = operations.map(({ verb, summary }) =>
    verb === undefined ? wrapped(summary, 0).join("\n") : entry(verb, summary, longest),
  );
  const hasChange = operations.some(({ kind }) => kind === "change");
  const parts = [
    `Usage: ${usages.join("\n       ")}`,
    ...about.map((paragraph) => wrapped(paragraph, 0).join("\n")),
    verbs.join("\n"),
    `Options\n${[...optionLines(operations), hasChange ? changeHelp : targetHelp].join("\n")}`,
    `Examples\n${examples.map((one) => `  npx paycast ${one}`).join("\n")}`,
    exitCodesText,
  ];
  return `${parts.join("\n\n")}\n`;
}

function usageOf(operation: Operation): string[] {
  const words = wordFields(operation).map(({ type, placeholder, isRequired }) => {
    if (isRequired) return placeholder;
    return type === "array" ? `[${placeholder}...]` : `[${placeholder}]`;
  });
  const options = optionFields(operation).length > 0 ? ["[options]"] : [];
  const yes = operation.kind === "change" ? ["[--yes]"] : [];
  const verb = operation.verb === undefined ? [] : [operation.verb];
  return [...verb, ...words, ...options, ...yes];
}

/** Each option once, although several operations have it. */
function optionLines(operations: readonly Operation[]): string[] {
  const fields = new Map<string, Field>();
  for (const operation of operations) {
    for (const field of optionFields(operation)) fields.set(field.option, field);
  }
  return [...fields.values()].map(({ option, type, description, placeholder }) =>
    entry(type === "boolean" ? `--${option}` : `--${option} ${placeholder}`, description, column),
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
  return [...lines, line].map((one) => " ".repeat(indentation) + one);
}
