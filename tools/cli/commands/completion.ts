import * as z from "zod";
import { type Command, exitCodes, type KnownCommand, UsageError } from "../frame/command.ts";
import { type Field, frameIn, optionsIn, wordFields } from "../frame/described-help.ts";
import { ownCommand } from "../frame/read-arguments.ts";

const shells = ["bash", "zsh", "fish"] as const;

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

type Shell = (typeof shells)[number];

function completionScript(shell: Shell, commands: readonly Completable[]): string {
  switch (shell) {
    case "bash":
      return bashScript(commands);
    case "zsh":
      return `${zshStart}${bashScript(commands)}`;
    case "fish":
      return fishScript(commands);
  }
}

/** zsh can run functions that were written for bash. */
const zshStart = `autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
`;

/**
 * For "paycast" and for "npx paycast". Where nothing of ours fits, the shell completes names of files. Bash 3.2, which macOS
 * has, can run it. In zsh "words" and "options" are taken.
 */
function bashScript(commands: readonly Completable[]): string {
  const names = ["help", ...commands.map(({ name }) => name)].join(" ");
  const cases = commands.map(
    ({ name, words, options }) =>
      `    ${name}) choices="${words.join(" ")}"; flags="${options.join(" ")}" ;;\n`,
  );
  return `_paycast() {
  local word="\${COMP_WORDS[COMP_CWORD]}" first=1 choices="" flags=""
  COMPREPLY=()
  if [[ "\${COMP_WORDS[0]}" == npx ]]; then
    [[ "\${COMP_WORDS[1]}" == paycast ]] || return 0
    first=2
  fi
  case "\${COMP_WORDS[first]}" in
    help) choices="${names}" ;;
${cases.join("")}  esac
  if (( COMP_CWORD == first )); then
    choices="${names}"
  elif [[ "$word" == -* ]]; then
    choices="$flags"
  elif (( COMP_CWORD != first + 1 )); then
    choices=""
  fi
  COMPREPLY=( $(compgen -W "$choices" -- "$word") )
}
complete -o default -F _paycast paycast npx
`;
}

function fishScript(commands: readonly Completable[]): string {
  const lines = commands.flatMap(({ name, summary, words, options }) => [
    `complete -c $command -n '__paycast_is 1' -f -a ${name} -d ${quoted(summary)}`,
    ...words.map((word) => `complete -c $command -n '__paycast_is 2 ${name}' -f -a ${word}`),
    ...options.map(
      (option) => `complete -c $command -n '__paycast_in ${name}' -l ${option.slice(2)}`,
    ),
  ]);
  return `function __paycast_words
  set -l words (commandline -opc)
  test "$words[1]" = npx; and set -e words[1]
  test "$words[1]" = paycast; and string join \\n -- $words
end
function __paycast_is
  set -l words (__paycast_words)
  test (count $words) -eq $argv[1]; or return 1
  test (count $argv) -eq 1; or test "$words[2]" = "$argv[2]"
end
function __paycast_in
  set -l words (__paycast_words)
  test (count $words) -ge 2; and test "$words[2]" = "$argv[1]"
end
for command in paycast npx
${lines.map((line) => `  ${line}\n`).join("")}end
`;
}

/** In fish, a backslash and a quote are escaped inside single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}

/** What can be typed after a command. It is read from the command's description, so nothing can be forgotten. */
interface Completable {
  readonly name: string;
  readonly summary: string;
  /** The words that can come first, such as "list". */
  readonly words: readonly string[];
  /** "--stack" */
  readonly options: readonly string[];
}

async function readCompletable({ name, summary, load }: KnownCommand): Promise<Completable> {
  const { group } = await load();
  const words = group.operations.flatMap((one) => one.verb ?? choicesOf(wordFields(one)[0]));
  const own = optionsIn(group).map(({ field }) => field.option);
  const options = [...own, ...frameIn(group), "help"].map((option) => `--${option}`);
  return { name, summary, words, options };
}

/** "bash|zsh|fish" is three words; "ID" is none. */
function choicesOf(field: Field | undefined): string[] {
  return field?.placeholder.includes("|") === true ? field.placeholder.split("|") : [];
}
