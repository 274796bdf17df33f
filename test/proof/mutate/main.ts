import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measuredHere } from "../measured.ts";
import { instrument } from "./instrument.ts";
import { journalFile, linesOfThisRun, type Mutant, note, readJournal, tools } from "./journal.ts";
import { report } from "./report.ts";

/**
 * `npm run mutate [-- --folder money,facts]`: Stryker changes the domain in small ways, one at a time, and the unit tests must
 * notice it. A run that was interrupted goes on; `--left` only tries what nothing has noticed yet, after new tests, and
 * `--report` tries nothing, after a change of accepted.ts. `--near` runs only the folders' own tests: a quick look after a
 * rewrite of them, to be followed by `--left`, because it writes what those tests miss as survivors.
 * The scores are in docs/proof/mutation.json.
 */
const folders = "envelope keys money facts orders records delivery processing receiving".split(" ");
const instrumenter = "@stryker-mutator/instrumenter";
const install = "install --silent --no-save --no-package-lock --ignore-scripts";
/** If nothing is noted for so long after a mutant was switched on, its test will not end. */
const longestSilence = 180_000;

const flag = { type: "boolean", default: false } as const;
const options = { folder: { type: "string" }, left: flag, near: flag, report: flag } as const;
const { values } = parseArgs({ options });
mkdirSync(tools, { recursive: true });
if (!existsSync(`${tools}/node_modules/${instrumenter}`)) {
  const all = `${install} --prefix ${tools} ${instrumenter}@10.1.1`.split(" ");
  execFileSync("npm", all, { stdio: "inherit" });
}
const chosen = values.folder?.split(",") ?? folders;
const mutants = await instrument(chosen);
if (!values.report) {
  begin(values.left);
  while (!(await runTests(mutants, values.near ? chosen : [])))
    console.log("A test does not end. Going on without it.");
  note({ finished: true });
}
if (!isFinished()) throw new Error("The last run did not come to its end: npm run mutate.");
process.exitCode = chosen.map((folder) => report(folder, mutants)).every((isGood) => isGood)
  ? 0
  : 1;

/** Goes on with the journal of a run of the same code and tests that was interrupted. */
function begin(onlyLeft: boolean): void {
  const tests = readdirSync("test/shared", { recursive: true, encoding: "utf8" });
  const files = tests.filter((file) => file.endsWith(".ts")).sort();
  const texts = files.map((file) => readFileSync(join("test/shared", file), "utf8"));
  const content = [JSON.stringify(mutants), ...texts];
  const code = createHash("sha256").update(content.join("")).digest("hex");
  const last = readJournal().findLast((line) => "begun" in line);
  if (last?.begun === code && !isFinished()) return;
  if (!onlyLeft) rmSync(journalFile, { force: true });
  note({ begun: code, commit: measuredHere().commit });
}

/** False if it had to be ended, because a mutant does not end. */
async function runTests(all: readonly Mutant[], near: readonly string[]): Promise<boolean> {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    `${import.meta.dirname}/vitest.config.ts`,
    ...near.map((folder) => `test/shared/${folder}/`),
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
