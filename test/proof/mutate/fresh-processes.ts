import { spawn } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyRepository } from "../copy-repository.ts";
import { root } from "../measured.ts";
import { type Area, closestFirst, folderOf, testFilesIn } from "./areas.ts";
import {
  instrumentedFolder,
  linesOfThisRun,
  type Mutant,
  note,
  noticedSoFar,
  sourceOf,
} from "./journal.ts";

/** How many test files run for a change, in a new process each, the closest first. */
const mostFiles = 3;

/** A test file that takes longer is considered to hang. */
const longestMilliseconds = 120_000;

type Outcome = "passed" | "failed" | "no end";

/**
 * Tries the undetected changes with the closest test files: each in a new process, on a copy of the sources with this
 * change. It detects what matters only while modules load, or in a test that cannot be repeated.
 */
export async function runFresh(area: Area, mutants: readonly Mutant[]): Promise<void> {
  const copy = copyRepository("mutate");
  const unchanged = new Map<string, Outcome>();
  const open = mutants.filter(({ name }) => !noticedSoFar().has(name));
  try {
    for (const mutant of open) await tryFresh(mutant, filesFor(area, mutant), copy, unchanged);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function filesFor(area: Area, mutant: Mutant): readonly string[] {
  const { id, name } = mutant;
  const source = sourceOf(mutant);
  const lines = linesOfThisRun();
  const isReached = lines.some(
    (line) =>
      "done" in line && [line.reached, line.loaded, line.untried].some((ids) => ids.includes(id)),
  );
  // In one process the first file that loads a module or makes a template does it for all of them.
  const all = area.tests
    .map(folderOf)
    .flatMap((folder) => testFilesIn(folder).map((file) => join(folder, file)));
  const closest = isReached ? closestFirst(all, source).slice(0, mostFiles) : [];
  const files = area.freshTests?.[source] ?? closest;
  const passed = lines.flatMap((line) =>
    "passed" in line && line.passed === name ? [line.file] : [],
  );
  return files.filter((file) => !passed.includes(file));
}

/** A test file that also fails without the change does not count. */
async function tryFresh(
  mutant: Mutant,
  files: readonly string[],
  copy: string,
  unchanged: Map<string, Outcome>,
): Promise<void> {
  for (const file of files) {
    const outcome = await runChanged(mutant, file, copy);
    if (outcome === "passed") {
      note({ passed: mutant.name, file });
      continue;
    }
    const before = unchanged.get(file) ?? (await runFile(file, copy));
    unchanged.set(file, before);
    if (before !== "passed") continue;
    return note({ noticed: mutant.name, by: file, isTimeout: outcome === "no end" });
  }
}

/** Only the changed file is instrumented, and it switches its change on itself: also in a bundle, a thread or a command. */
async function runChanged(mutant: Mutant, file: string, copy: string): Promise<Outcome> {
  const source = sourceOf(mutant);
  const switchOn = `(globalThis.__stryker__ ??= {}).activeMutant = "${mutant.id}";\n`;
  const changed = switchOn + readFileSync(join(instrumentedFolder(), source), "utf8");
  writeFileSync(join(copy, source), changed);
  try {
    return await runFile(file, copy);
  } finally {
    cpSync(join(root, source), join(copy, source));
  }
}

async function runFile(file: string, copy: string): Promise<Outcome> {
  const args = ["node_modules/vitest/vitest.mjs", "run", "--bail=1", "--project=main", file];
  // In a group of its own: the emulators end with it.
  const child = spawn(process.execPath, args, { cwd: copy, stdio: "ignore", detached: true });
  let isOver = false;
  const limit = setTimeout(() => {
    isOver = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, longestMilliseconds);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  clearTimeout(limit);
  if (isOver) return "no end";
  return code === 0 ? "passed" : "failed";
}
