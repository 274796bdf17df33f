import type { Command } from "./frame/command.ts";

export interface KnownCommand {
  readonly name: string;
  /** One line for `npx paycast --help`. */
  readonly summary: string;
  /** Each command is loaded when it is used: the help of one does not wait for the AWS clients of another. */
  readonly load: () => Promise<Command>;
}

/** Every command of `npx paycast`, in the order of its help. */
export const commands: readonly KnownCommand[] = [
  {
    name: "detect-profile",
    summary: "find the wire profile (cipher, signature, encodings) from one captured callback",
    load: async () => (await import("./commands/detect-profile.ts")).detectProfile,
  },
];
