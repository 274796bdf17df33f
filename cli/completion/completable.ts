import type { KnownCommand } from "../frame/command.ts";

/** What can be typed after a command. It is read from the command's own help, so nothing can be forgotten. */
export interface Completable {
  readonly name: string;
  readonly summary: string;
  /** The words that can come first, such as "list". */
  readonly words: readonly string[];
  /** "--stack" */
  readonly options: readonly string[];
}

export async function readCompletable({ name, summary, load }: KnownCommand): Promise<Completable> {
  const { help } = await load();
  return { name, summary, words: wordsIn(help, name), options: optionsIn(help) };
}

/** "npx paycast keys check …" and "npx paycast completion bash|zsh|fish" in the lines of the usage. */
function wordsIn(help: string, name: string): string[] {
  const usage = help.slice(0, help.indexOf("\n\n"));
  const found = usage.matchAll(new RegExp(`npx paycast ${name} ([a-z][a-z|-]*)`, "g"));
  return unique([...found].flatMap(([, words = ""]) => words.split("|")));
}

/** Each option has a line of its own, after two spaces. */
function optionsIn(help: string): string[] {
  return unique(
    [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z][a-z-]*)/gm)].map(([, name = ""]) => name),
  );
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
