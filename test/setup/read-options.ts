import type { ParseArgsConfig } from "node:util";
import { UsageError } from "../../tools/cli/frame/command.ts";
import { parseOptions, strayArgument } from "../../tools/cli/frame/parse-options.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The options that a run was started with. `--help` prints the help and ends the process. */
export function readOptions<T extends Options>(help: string, options: T) {
  if (process.argv.includes("--help")) {
    console.log(help);
    process.exit();
  }
  try {
    const { values, positionals } = parseOptions(process.argv.slice(2), options);
    if (positionals.length === 0) return values;
    return refuse(strayArgument);
  } catch (error) {
    if (error instanceof UsageError) return refuse(error.message);
    throw error;
  }
}

/** Ends the process because an option is not valid. */
export function refuse(message: string): never {
  console.error(`${message} For help, add --help.`);
  process.exit(2);
}
