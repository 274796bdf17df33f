import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { readOptions, refuse } from "../../setup/read-options.ts";
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

const help = `npm run mutate -- [options]

Changes the sources in small ways with Stryker, one change at a time. The tests must detect it. The scores go to
docs/proof/mutation.json. An interrupted run continues.

  --folder A,B   the folders to change (all: ${areas.map(({ folder }) => folder).join(", ")})
  --left         after new tests: try only the changes that nothing has detected yet
  --report       after a change of test/proof/mutate/accepted.ts: try nothing
  --near         of the domain, run only the tests of the same folder. What they miss is written as not detected, so
                 run it again with --left
  --quick        leave out the tests in processes of their own. What only they could detect counts as not tried
  --help         print this help
`;
const instrumenter = "@stryker-mutator/instrumenter";
const install = "install --silent --no-save --no-package-lock --ignore-scripts";
/** If the journal has no new line for this long after a mutant was switched on, its test hangs. */
const longestSilence = 180_000;

const flag = { type: "boolean", default: false } as const;
/** `npm run mutate`. */
const values = readOptions(help, {
  folder: { type: "string" },
  left: flag,
  near: flag,
  quick: flag,
  report: flag,
});
const known = areas.map(({ folder }) => folder);
const chosen = values.folder?.split(",") ?? known;
const unknown = chosen.filter((folder) => !known.includes(folder));
if (unknown.length > 0) refuse(`No such folder: ${unknown.join(", ")}.`);
mkdirSync(tools, { recursive: true });
if (!existsSync(`${tools}/node_modules/${instrumenter}`)) {
  const all = `${install} --prefix ${tools} ${instrumenter}@10.1.1`.split(" ");
  execFileSync("npm", all, { stdio: "inherit" });
}
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
