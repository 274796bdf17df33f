import { PaycastError } from "../shared/paycast-error.ts";

/** What a command writes to. Results go to `out`; errors and progress to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly errIsTty: boolean;
}

/** The same for every command, so that scripts can rely on them. */
export const exitCodes = { success: 0, negative: 1, wrongInput: 2, internal: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface Command {
  readonly name: string;
  /** One line for `npx paycast --help`. */
  readonly summary: string;
  readonly help: string;
  /** Takes the arguments after the command's name. Throws `UsageError`, or `PaycastError` for unreadable input. */
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<ExitCode>;
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
