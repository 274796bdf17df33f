import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** Below node_modules: what `npm run mutate` installs, makes and notes. */
export const tools = "node_modules/.cache/mutate";

/** Each run has a folder of its own. The environment names it, for the process of the tests too. */
export const runVariable = "MUTATED";
const runFolder = () => `${tools}/${process.env[runVariable]?.replace("/", "-")}`;
export const mutantsFile = () => `${runFolder()}/mutants.json`;
export const instrumentedFolder = () => `${runFolder()}/instrumented`;
export const journalFile = () => `${runFolder()}/journal.jsonl`;

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

export function sourceOf({ at }: Mutant): string {
  const [file = ""] = at.split(":");
  return file;
}

/** Ids of mutants whose code a test file has run. */
interface Reach {
  /** In its tests. */
  readonly reached: string[];
  /** While modules were loaded. */
  readonly loaded: string[];
  /** Where no mutant can be tried in the same process: in a test that cannot be repeated or is slow, in a hook, while loading. */
  readonly untried: string[];
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
  /** A test file is done. */
  | ({ readonly done: string } & Reach)
  /** A test file passed with this mutant in a process of its own. */
  | { readonly passed: string; readonly file: string }
  | { readonly finished: true };

export function note(line: Line): void {
  appendFileSync(journalFile(), `${JSON.stringify(line)}\n`);
}

export function readJournal(): Line[] {
  if (!existsSync(journalFile())) return [];
  const lines = readFileSync(journalFile(), "utf8").split("\n");
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
