import { readCompletable } from "../completion/completable.ts";
import { completionScript, shells } from "../completion/scripts.ts";
import {
  type Command,
  exitCodes,
  exitCodesText,
  type KnownCommand,
  UsageError,
} from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";

const options = { json: { type: "boolean" } } as const;

/** `npx paycast completion SHELL`: lets a shell complete commands, words and options. */
export function completionOf(commands: readonly KnownCommand[]): Command {
  return {
    help,
    run: async (args, terminal) => {
      const { values, words } = parseArguments(args, options, ["SHELL?"]);
      const shell = shells.find((known) => known === words[0]);
      if (shell === undefined && values.json !== true) {
        throw new UsageError(`Say for which shell: ${shells.join(", ")}.`);
      }
      const completable = await Promise.all(commands.map(readCompletable));
      terminal.out(
        shell === undefined || values.json === true
          ? `${JSON.stringify({ commands: completable }, null, 2)}\n`
          : completionScript(shell, completable),
      );
      return exitCodes.success;
    },
  };
}

const help = `Usage: npx paycast completion bash|zsh|fish
       npx paycast completion --json

Prints a script that lets your shell complete what you type after "npx paycast", and after "paycast" where that is on
the PATH. It is made of the commands' own help, so make it again after an update.

Options
  --json              print the commands with their words and options, for other tools
  -h, --help          print this

Examples
  source <(npx paycast completion bash)
  npx paycast completion bash >> ~/.bashrc
  npx paycast completion zsh >> ~/.zshrc
  npx paycast completion fish > ~/.config/fish/completions/paycast.fish

${exitCodesText}
`;
