import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Measured, measuredHere } from "../measured.ts";
import { accepted } from "./accepted.ts";
import { type Area, folderOf, isDomain, testFilesIn } from "./areas.ts";
import type { Instrumented } from "./instrument.ts";
import { linesOfThisRun, type Mutant, noticedSoFar, readJournal, sourceOf } from "./journal.ts";

const scoresFile = "docs/proof/mutation.json";

interface Sample {
  /** All changes that Stryker can make. */
  readonly of: number;
  /** Test files that ran, out of those of the area. An interrupted run has not run all of them. */
  readonly filesRun: number;
  readonly files: number;
  /** Survivors whose code no test ran. */
  readonly unreached: number;
  /** Survivors that tests run only where they need a new process, and that did not get one. */
  readonly untried: number;
}

/** What docs/proof/mutation.json says about a folder. */
export interface MutationScore extends Measured {
  readonly score: number;
  readonly mutants: number;
  /** Outside of the domain only a sample is tried. */
  readonly sample?: Sample;
  /** Changes that run only while modules load. They were not tried. */
  readonly loaded: number;
  /** Detected because a test did not end, such as in an endless loop. */
  readonly timeouts: number;
  readonly survivors: number;
  /** How many survivors each reason covers. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly unread: number;
}

/** True if no work remains: the goal is reached, and each survivor has a reason. */
export function report(area: Area, { all, sample }: Instrumented): boolean {
  const { folder, goal } = area;
  const isMine = (mutant: Mutant) => mutant.folder === folder;
  // Elsewhere a process of its own tries them.
  const ignored = isDomain(area) ? onlyLoaded() : new Set();
  const mine = sample.filter(isMine);
  const mutants = mine.filter(({ id }) => !ignored.has(id));
  const noticed = noticedSoFar();
  const survivors = mutants.filter(({ name }) => !noticed.has(name));
  const unread = survivors.filter((mutant) => !accepted.some((rule) => rule.matches(mutant)));
  const unreached = survivors.filter((mutant) => !isReached(mutant, area));
  const untried = survivors.filter((mutant) => !unreached.includes(mutant) && !isTried(mutant));
  const score = Math.round((1000 * (mutants.length - survivors.length)) / mutants.length) / 10;
  writeScore(folder, {
    score,
    mutants: mutants.length,
    ...(isDomain(area)
      ? {}
      : {
          sample: {
            of: all.filter(isMine).length,
            ...countFiles(area),
            unreached: unreached.length,
            untried: untried.length,
          },
        }),
    loaded: mine.length - mutants.length,
    timeouts: mutants.filter(({ name }) => noticed.get(name)?.isTimeout === true).length,
    survivors: survivors.length,
    reasons: countReasons(survivors),
    unread: unread.length,
  });
  console.log(`${folder}: ${score} % of ${mutants.length}`);
  for (const mutant of unread) console.log(`  ${describe(mutant, unreached)}`);
  return score >= goal && unread.length === 0;
}

function describe(mutant: Mutant, unreached: readonly Mutant[]): string {
  const { at, code, replacement } = mutant;
  const mark = unreached.includes(mutant) ? " (no test runs it)" : "";
  return `${at}${mark} ${code} => ${replacement}`;
}

function isReached(mutant: Mutant, { freshTests }: Area): boolean {
  const { id } = mutant;
  if (freshTests?.[sourceOf(mutant)] !== undefined) return true;
  return linesOfThisRun().some(
    (line) => "done" in line && (line.reached.includes(id) || line.untried.includes(id)),
  );
}

function countFiles({ tests, freshTests = {} }: Area): Pick<Sample, "filesRun" | "files"> {
  const fresh = new Set(Object.values(freshTests).flat());
  const run = linesOfThisRun().flatMap((line) => {
    if ("done" in line) return [line.done];
    if ("passed" in line) return [line.file];
    return "noticed" in line && fresh.has(line.by) ? [line.by] : [];
  });
  const files = tests.flatMap((glob) => testFilesIn(folderOf(glob))).length + fresh.size;
  return { filesRun: new Set(run).size, files };
}

function isTried({ id, name }: Mutant): boolean {
  return linesOfThisRun().some(
    (line) =>
      ("survived" in line && line.survived === id) || ("passed" in line && line.passed === name),
  );
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
