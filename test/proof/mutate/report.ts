import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Measured, measuredHere } from "../measured.ts";
import { accepted } from "./accepted.ts";
import { linesOfThisRun, type Mutant, noticedSoFar, readJournal } from "./journal.ts";

const goal = 90;
const scoresFile = "docs/proof/mutation.json";

/** What docs/proof/mutation.json tells of a folder. */
export interface MutationScore extends Measured {
  readonly score: number;
  readonly mutants: number;
  /** Run only while modules are loaded, and so were not tried. */
  readonly loaded: number;
  /** Noticed because a test did not end, such as a loop without an end. */
  readonly timeouts: number;
  readonly survivors: number;
  /** How many survivors each reason covers. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly unread: number;
}

/** True if nothing is left to do: the goal is reached, and each survivor has its reason. */
export function report(folder: string, all: readonly Mutant[]): boolean {
  const ignored = onlyLoaded();
  const mine = all.filter((mutant) => mutant.folder === folder);
  const mutants = mine.filter(({ id }) => !ignored.has(id));
  const noticed = noticedSoFar();
  const survivors = mutants.filter(({ name }) => !noticed.has(name));
  const unread = survivors.filter((mutant) => !accepted.some((rule) => rule.matches(mutant)));
  const score = Math.round((1000 * (mutants.length - survivors.length)) / mutants.length) / 10;
  writeScore(folder, {
    score,
    mutants: mutants.length,
    loaded: mine.length - mutants.length,
    timeouts: mutants.filter(({ name }) => noticed.get(name)?.isTimeout === true).length,
    survivors: survivors.length,
    reasons: countReasons(survivors),
    unread: unread.length,
  });
  console.log(`${folder}: ${score} % of ${mutants.length}`);
  for (const { at, code, replacement } of unread) console.log(`  ${at} ${code} => ${replacement}`);
  return score >= goal && unread.length === 0;
}

/** What runs only while modules are loaded: each change of it would need a process of its own. */
function onlyLoaded(): Set<string> {
  const done = linesOfThisRun().flatMap((line) => ("done" in line ? [line] : []));
  const reached = new Set(done.flatMap((line) => line.reached));
  return new Set(done.flatMap((line) => line.loaded).filter((id) => !reached.has(id)));
}

/** Each survivor counts for the first reason that covers it. */
function countReasons(survivors: readonly Mutant[]) {
  const found = survivors.map((mutant) => accepted.find((rule) => rule.matches(mutant))?.reason);
  const counts = accepted.map(({ reason }) => [
    reason,
    found.filter((candidate) => candidate === reason).length,
  ]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

function writeScore(folder: string, counts: Omit<MutationScore, keyof Measured>): void {
  const before = existsSync(scoresFile) ? JSON.parse(readFileSync(scoresFile, "utf8")) : {};
  const commit = readJournal().findLast((line) => "begun" in line)?.commit;
  const all: object = { ...before, [folder]: { ...counts, ...measuredHere(), commit } };
  const sorted = Object.fromEntries(Object.entries(all).sort());
  writeFileSync(scoresFile, `${JSON.stringify(sorted, undefined, 1)}\n`);
}
