import { PaycastError } from "../../shared/errors/paycast-error.ts";
import { printableLines } from "../../shared/text/terminal-text.ts";
import { commands } from "./commands.ts";
import { closest } from "./frame/closest.ts";
import { type KnownCommand, ownVersion, type Terminal, UsageError } from "./frame/command.ts";
import { helpOf } from "./frame/described-help.ts";
import { type ExitCode, exitCodes, exitCodesText } from "./frame/exit-codes.ts";
import { inLocalTime, processTerminal } from "./frame/terminal.ts";

/** Runs one command line and gives its exit code. */
export async function main(
  args: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<ExitCode> {
  const [name, ...rest] = asOption(args);
  const command = commands.find((known) => known.name === name);
  const shown = terminalFor(rest, terminal);
  try {
    return await (command === undefined
      ? runWithoutCommand(name, shown)
      : runCommand(command, rest, shown));
  } catch (error) {
    return await reportError(error, command, args, shown);
  }
}

/** "help COMMAND" is "COMMAND --help". */
function asOption(args: readonly string[]): readonly string[] {
  const [word, command] = args;
  return word === "help" && command !== undefined ? [command, "--help"] : args;
}

function runWithoutCommand(name: string | undefined, terminal: Terminal): ExitCode {
  if (isHelp(name) || name === "help") {
    terminal.out(overview());
    return exitCodes.success;
  }
  if (name === "--version") {
    terminal.out(`${ownVersion()}\n`);
    return exitCodes.success;
  }
  const names = commands.map((command) => command.name);
  const known = names.join(", ");
  if (name === undefined) throw new UsageError(`Name a command: ${known}.`);
  const kind = name.startsWith("-") ? "option" : "command";
  const meant = closest(name, names);
  const next = meant === undefined ? `Commands: ${known}.` : `Did you mean ${meant}?`;
  throw new UsageError(`There is no ${kind} ${quoteWord(name)}. ${next}`);
}

/** Repeats a word that could be a command; anything else may be a key that was typed by mistake. */
function quoteWord(word: string): string {
  return /^-{0,2}[a-z][a-z-]{0,30}$/i.test(word) ? `"${word}"` : "of that name";
}

async function runCommand(
  known: KnownCommand,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const command = await known.load();
  if (!args.some(isHelp)) return await command.run(args, terminal);
  terminal.out(helpOf(command.group));
  return exitCodes.success;
}

/** JSON is for scripts, and always in UTC. A help has no times of its own. */
function terminalFor(args: readonly string[], terminal: Terminal): Terminal {
  const isAsked = args.includes("--local-time") && !args.includes("--json");
  return isAsked && !args.some(isHelp) ? inLocalTime(terminal) : terminal;
}

function isHelp(arg: string | undefined): boolean {
  return arg === "--help" || arg === "-h";
}

/** The user can fix wrong usage, unreadable input and calls that AWS rejects; any other error is a bug in paycast. */
async function reportError(
  thrown: unknown,
  command: KnownCommand | undefined,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const error = await explained(thrown);
  if (error === undefined) {
    const trace = thrown instanceof Error ? thrown.stack : String(thrown);
    terminal.err(`paycast: this is a bug in paycast, please report it.\n${trace}\n`);
    return exitCodes.internal;
  }
  const name = command === undefined ? "paycast" : `paycast ${command.name}`;
  terminal.err(`${name}: ${printableLines(error.message)}\n`);
  if (error instanceof UsageError) terminal.err(`Help: npx ${name} --help\n`);
  if (args.includes("--json")) {
    const { code, message } = error;
    terminal.out(`${JSON.stringify({ error: { code, message } }, null, 2)}\n`);
  }
  if (error.code === "nothing-stored") return exitCodes.negative;
  if (error.code === "stored-unreadable") return exitCodes.internal;
  return /^(aws|gateway)-/.test(error.code) ? exitCodes.unavailable : exitCodes.wrongInput;
}

/** Loaded only for errors that are not our own, so that wrong usage is reported immediately. */
async function explained(thrown: unknown): Promise<PaycastError | undefined> {
  if (thrown instanceof PaycastError) return thrown;
  const { explainError } = await import("../operations/explain-error.ts");
  return explainError(thrown);
}

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `Usage: npx paycast COMMAND [options]
       npx paycast --version

Commands
${lines.join("\n")}

Commands work on the local stack of this folder, or on a deployed one: --stack NAME, or PAYCAST_STACK=NAME.
Each command explains itself: npx paycast help COMMAND

${exitCodesText}
`;
}
