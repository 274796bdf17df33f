import { type ParseArgsConfig, parseArgs } from "node:util";
import { closest } from "./closest.ts";
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

export const strayArgument = "One argument belongs to no option.";

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
