import * as z from "zod";
import { completionScript, readCompletable, shells } from "../completion/scripts.ts";
import { type Command, exitCodes, type KnownCommand, UsageError } from "../frame/command.ts";
import { ownCommand } from "../frame/read-arguments.ts";

/** `npx paycast completion SHELL`: lets a shell complete commands, words and options. */
export function completionOf(commands: readonly KnownCommand[]): Command {
  return ownCommand(
    {
      name: "completion",
      about: [
        'Prints a script that lets bash, zsh or fish complete commands, words and options after "npx paycast", and after "paycast" where that is on the PATH. It is made of the commands\' own help: make it again after an update.',
      ],
      examples: [
        "completion bash >> ~/.bashrc",
        "completion zsh >> ~/.zshrc",
        "completion fish > ~/.config/fish/completions/paycast.fish",
      ],
    },
    {
      summary: "With --json it prints the commands with their words and options, for other tools.",
      input: z.object({
        shell: z
          .string()
          .optional()
          .meta({ description: "your shell", placeholder: shells.join("|") }),
      }),
      words: ["shell"],
      frame: ["json"],
      run: async (asked, { json }, terminal) => {
        const shell = shells.find((known) => known === asked.shell);
        if (shell === undefined && json !== true) {
          throw new UsageError(`Say for which shell: ${shells.join(", ")}.`);
        }
        const completable = await Promise.all(commands.map(readCompletable));
        terminal.out(
          shell === undefined || json === true
            ? `${JSON.stringify({ commands: completable }, null, 2)}\n`
            : completionScript(shell, completable),
        );
        return exitCodes.success;
      },
    },
  );
}
