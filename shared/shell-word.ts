import { printable } from "./terminal-text.ts";

/** A word that can be copied to a shell, whatever characters it holds; harmless to the terminal that shows it. */
export function shellWord(word: string): string {
  const quoted = /^[\w.:/][\w.:/-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  return printable(quoted);
}
