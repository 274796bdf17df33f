import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./command.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** Reads a command's options and its words. Throws `UsageError`. */
export function parseOptions<T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new UsageError(messageFor(error, Object.keys(options)));
  }
}

export const strayArgument = "One argument does not belong to an option.";

/** The parser's own messages repeat what was typed, which may be a key, so only the option's name is kept. */
function messageFor(error: unknown, known: readonly string[]): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const message = error instanceof Error ? error.message : "";
  const option = /'(-[\w-]{1,40})[' ]/.exec(message)?.[1] ?? "of that name";
  switch (code) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return `There is no option ${option}.${meantText(option, known)}`;
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      return message.includes("does not take")
        ? `${option} takes no value.`
        : `${option} needs a value.`;
    default:
      return strayArgument;
  }
}

function meantText(option: string, known: readonly string[]): string {
  const meant = closest(option.replace(/^-+/, ""), known);
  return meant === undefined ? "" : ` Did you mean --${meant}?`;
}

/** The known word that was most likely meant; undefined if none is close. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const most = Math.min(2, Math.floor(word.length / 3));
  const near = known
    .map((name) => ({ name, steps: name.startsWith(word) ? 1 : distance(word, name) }))
    .filter(({ steps }) => steps <= most)
    .sort((left, right) => left.steps - right.steps);
  return near[0]?.name;
}

/** How many letters must be added, removed, replaced or swapped with the next one. */
function distance(left: string, right: string): number {
  let before: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_item, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      next[column] = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, next];
  }
  return last[right.length] ?? 0;
}
