import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { measuredHere } from "../measured.ts";
import { type Area, areas, folderOf, isDomain, runsOf } from "./areas.ts";
import { runFresh } from "./fresh-processes.ts";
import { instrument } from "./instrument.ts";
import {
  journalFile,
  linesOfThisRun,
  type Mutant,
  note,
  readJournal,
  runVariable,
  tools,
} from "./journal.ts";
import { report } from "./report.ts";

/**
 * `npm run mutate [-- --folder shared/money,functions]`: Stryker changes the sources in small ways, one at a time, and the tests
 * must notice it. A run that was interrupted goes on; `--left` only tries what nothing has noticed yet, after new tests, and
 * `--report` tries nothing, after a change of accepted.ts. `--near` runs only the folders' own tests of the domain: a quick
 * look after a rewrite of them, to be followed by `--left`, because it writes what those tests miss as survivors.
 * `--quick` leaves out the tests in processes of their own, and what only they could detect counts as not tried.
 * The scores are in docs/proof/mutation.json.
 */
const instrumenter = "@stryker-mutator/instrumenter";
const install = "install --silent --no-save --no-package-lock --ignore-scripts";
/** If the journal has no new line for this long after a mutant was switched on, its test hangs. */
const longestSilence = 180_000;

const flag = { type: "boolean", default: false } as const;
const options = {
  folder: { type: "string" },
  left: flag,
  near: flag,
  quick: flag,
  report: flag,
} as const;
const { values } = parseArgs({ options });
mkdirSync(tools, { recursive: true });
if (!existsSync(`${tools}/node_modules/${instrumenter}`)) {
  const all = `${install} --prefix ${tools} ${instrumenter}@10.1.1`.split(" ");
  execFileSync("npm", all, { stdio: "inherit" });
}
const known = areas.map(({ folder }) => folder);
const chosen = values.folder?.split(",") ?? known;
const unknown = chosen.filter((folder) => !known.includes(folder));
if (unknown.length > 0) throw new Error(`No such folder: ${unknown.join(", ")}`);
for (const run of runsOf(chosen)) if (!(await mutate(run))) process.exitCode = 1;

/** False if work remains. */
async function mutate(run: readonly Area[]): Promise<boolean> {
  const [first] = run;
  if (first === undefined) return true;
  process.env[runVariable] = isDomain(first) ? "shared" : first.folder;
  mkdirSync(dirname(journalFile()), { recursive: true });
  const instrumented = await instrument(run);
  if (!values.report) {
    begin(instrumented.sample, first.tests);
    const near = values.near ? run.map(({ folder }) => `test/${folder}/`) : [];
    while (first.tests.length > 0 && !(await runTests(instrumented.sample, near)))
      console.log("A test does not end. Going on without it.");
    if (!isDomain(first) && !values.quick) await runFresh(first, instrumented.sample);
    note({ finished: true });
  }
  if (isDomain(first) && !isFinished())
    throw new Error("The last run did not come to its end: npm run mutate.");
  return run.map((area) => report(area, instrumented)).every((isGood) => isGood);
}

/** Continues the journal of an interrupted run of the same code and tests. */
function begin(mutants: readonly Mutant[], tests: readonly string[]): void {
  const content = [JSON.stringify(mutants), ...tests.map(folderOf).flatMap(textsIn)];
  const code = createHash("sha256").update(content.join("")).digest("hex");
  const last = readJournal().findLast((line) => "begun" in line);
  if (last?.begun === code && !isFinished()) return;
  if (!values.left) rmSync(journalFile(), { force: true });
  note({ begun: code, commit: measuredHere().commit });
}

function textsIn(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const sources = files.filter((file) => file.endsWith(".ts")).sort();
  return sources.map((file) => readFileSync(join(folder, file), "utf8"));
}

/** False if it had to be killed, because a mutant hangs. */
async function runTests(all: readonly Mutant[], near: readonly string[]): Promise<boolean> {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    `${import.meta.dirname}/vitest.config.ts`,
    ...near,
  ];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  let length = 0;
  let isStuck = false;
  const watch = setInterval(() => {
    const lines = linesOfThisRun();
    const [last] = lines.length === length ? lines.slice(-1) : [];
    length = lines.length;
    const stuck = all.find(({ id }) => last && "trying" in last && id === last.trying);
    if (stuck === undefined) return;
    isStuck = true;
    note({ noticed: stuck.name, by: "no end", isTimeout: true });
    child.kill("SIGKILL");
  }, longestSilence);
  await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(watch);
  return !isStuck;
}

function isFinished(): boolean {
  return linesOfThisRun().some((line) => "finished" in line);
}
