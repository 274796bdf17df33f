import { PaycastError } from "../shared/paycast-error.ts";
import { type Command, type ExitCode, exitCodes, type Terminal, UsageError } from "./command.ts";
import { commands } from "./commands.ts";

const processTerminal: Terminal = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  errIsTty: process.stderr.isTTY === true,
};

/** Runs one command line and gives its exit code. */
export async function main(
  args: readonly string[],
  terminal: Terminal = processTerminal,
): Promise<ExitCode> {
  const [name, ...rest] = args;
  const command = commands.find((known) => known.name === name);
  try {
    return await (command === undefined
      ? runWithoutCommand(name, terminal)
      : runCommand(command, rest, terminal));
  } catch (error) {
    return reportError(error, command, args, terminal);
  }
}

function runWithoutCommand(name: string | undefined, terminal: Terminal): ExitCode {
  if (isHelp(name) || name === "help") {
    terminal.out(overview());
    return exitCodes.success;
  }
  const known = commands.map((command) => command.name).join(", ");
  if (name === undefined) throw new UsageError(`Which command? There is: ${known}.`);
  const kind = name.startsWith("-") ? "option" : "command";
  throw new UsageError(`There is no ${kind} ${quoteWord(name)}. Commands: ${known}.`);
}

/** Repeats a word that could be a command; anything else may be a key that was typed by mistake. */
function quoteWord(word: string): string {
  return /^-{0,2}[a-z][a-z-]{0,30}$/i.test(word) ? `"${word}"` : "of that name";
}

async function runCommand(
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  if (!args.some(isHelp)) return command.run(args, terminal);
  terminal.out(command.help);
  return exitCodes.success;
}

function isHelp(arg: string | undefined): boolean {
  return arg === "--help" || arg === "-h";
}

/** The user can fix wrong usage and unreadable input, so they show no stack; any other error is a bug in paycast. */
function reportError(
  error: unknown,
  command: Command | undefined,
  args: readonly string[],
  terminal: Terminal,
): ExitCode {
  if (!(error instanceof PaycastError)) {
    const trace = error instanceof Error ? error.stack : String(error);
    terminal.err(`paycast: this is a bug in paycast, please report it.\n${trace}\n`);
    return exitCodes.internal;
  }
  const name = command === undefined ? "paycast" : `paycast ${command.name}`;
  terminal.err(`${name}: ${error.message}\n`);
  if (error instanceof UsageError) terminal.err(`Help: npx ${name} --help\n`);
  if (args.includes("--json")) {
    const { code, message } = error;
    terminal.out(`${JSON.stringify({ error: { code, message } }, null, 2)}\n`);
  }
  return exitCodes.wrongInput;
}

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `Usage: npx paycast COMMAND [options]

Commands
${lines.join("\n")}

Each command explains itself: npx paycast COMMAND --help

Exit codes: 0 done, 1 the answer is no, 2 wrong usage or unreadable input, 3 a fault of paycast
`;
}
