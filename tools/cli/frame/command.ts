import packageJson from "../../../package.json" with { type: "json" };
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { Colours } from "../../../shared/text/terminal-text.ts";
import type { Described, OperationGroup } from "../../operations/described/description.ts";
import type { ExitCode } from "./exit-codes.ts";

/** What a command writes to. Results go to `out`; errors and progress to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  /** For results that must stay as they are, byte for byte. */
  readonly outBytes?: ((bytes: Uint8Array) => void) | undefined;
  readonly err: (text: string) => void;
  readonly errIsTty: boolean;
  /** For results; they do nothing if `out` is not a terminal. */
  readonly colours: Colours;
  /** Ends long work: the user pressed Ctrl-C. */
  readonly stopped: AbortSignal;
  /** Ends the process immediately: nothing waits for the calls in progress. */
  readonly leave?: ((code: ExitCode) => void) | undefined;
}

/** The options that commands have in common. */
export type FrameOption = "yes" | "stack" | "local" | "json" | "local-time";

/** An operation as the command line knows it: described for both faces, or for this one alone. */
export interface CommandOperation extends Described {
  readonly kind: "look" | "change" | "own";
  /** Which of the common options it takes, if not those of its kind. */
  readonly frame?: readonly FrameOption[];
}

export interface CommandGroup extends Omit<OperationGroup, "operations"> {
  readonly operations: readonly CommandOperation[];
}

export interface Command {
  /** Its help and its section of docs/operating.md are made from it. */
  readonly group: CommandGroup;
  /** Takes the arguments after the command's name. Throws `UsageError`, or `PaycastError` for unreadable input. */
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<ExitCode>;
}

/** A command in the table of all commands. */
export interface KnownCommand {
  readonly name: string;
  /** One line for `npx paycast --help`. */
  readonly summary: string;
  /** Each command is loaded when it is used: the help of one does not wait for the AWS clients of another. */
  readonly load: () => Promise<Command>;
}

/** Thrown when the arguments are wrong; the message is followed by a hint to the command's help. */
export class UsageError extends PaycastError {
  override readonly name = "UsageError";

  constructor(message: string) {
    super("wrong-usage", message);
  }
}

/** Thrown when a file that the arguments name cannot be used. */
export class InputError extends PaycastError {
  override readonly name = "InputError";

  constructor(message: string) {
    super("unreadable-input", message);
  }
}

/** What the options of every command that works on a stack may hold. */
export interface TargetValues {
  readonly stack?: string | undefined;
  readonly local?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** The name of the deployed stack that is meant; undefined if it is the local one. Throws `UsageError`. */
export function chosenStack({ stack, local }: TargetValues): string | undefined {
  if (stack !== undefined && local === true) {
    throw new UsageError("Give --stack NAME or --local, not both.");
  }
  const { PAYCAST_STACK: usual } = process.env;
  return stack ?? (local === true ? undefined : usual || undefined);
}

/** The result as JSON for scripts, or as text for people. */
export function print(
  terminal: Terminal,
  { json }: TargetValues,
  result: object,
  text: () => string,
): void {
  terminal.out(json === true ? `${JSON.stringify(result, null, 2)}\n` : text());
}

/** The version of this command. */
export function ownVersion(): string {
  return packageJson.version;
}
