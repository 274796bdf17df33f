import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Below node_modules: what `npm run mutate` installs, makes and notes. */
export const tools = "node_modules/.cache/mutate";
export const mutantsFile = `${tools}/mutants.json`;
export const instrumentedFolder = `${tools}/instrumented`;
export const journalFile = `${tools}/journal.jsonl`;

/** A change that Stryker can make: where, what stands there, and what stands there instead. */
export interface Mutant {
  /** For the switch in the instrumented code. */
  readonly id: string;
  readonly folder: string;
  /** File and range. */
  readonly at: string;
  readonly code: string;
  readonly replacement: string;
  /** Says which change it is, as long as its file stays the same. */
  readonly name: string;
}

/** What happens in a run, line by line, so that a run that was interrupted goes on. */
export type Line =
  /** The instrumented code and the tests that the lines after it are about. */
  | { readonly begun: string; readonly commit: string }
  | { readonly trying: string }
  /** A test passed with this mutant. */
  | { readonly survived: string }
  /** The name of a mutant, and the test that noticed it. */
  | { readonly noticed: string; readonly by: string; readonly isTimeout: boolean }
  /** This test failed without a change: an earlier one has left something behind. It decides nothing more. */
  | { readonly spoilt: string }
  /** A test file is done. The ids of the mutants that its tests reach, and that run when modules are loaded. */
  | { readonly done: string; readonly reached: string[]; readonly loaded: string[] }
  | { readonly finished: true };

export function note(line: Line): void {
  appendFileSync(journalFile, `${JSON.stringify(line)}\n`);
}

export function readJournal(): Line[] {
  if (!existsSync(journalFile)) return [];
  const lines = readFileSync(journalFile, "utf8").split("\n");
  return lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line));
}

/** The lines about the code as it is instrumented now. */
export function linesOfThisRun(): Line[] {
  const lines = readJournal();
  return lines.slice(lines.findLastIndex((line) => "begun" in line) + 1);
}

export function noticedSoFar(): Map<string, { readonly isTimeout: boolean }> {
  return new Map(
    readJournal().flatMap((line) => ("noticed" in line ? [[line.noticed, line]] : [])),
  );
}
