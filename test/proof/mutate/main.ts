import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { instrument } from "./instrument.ts";
import { journalFile, linesOfThisRun, type Mutant, note, readJournal, tools } from "./journal.ts";
import { report } from "./report.ts";

/**
 * `npm run mutate [-- --folder money,facts]`: Stryker changes the domain in small ways, one at a time, and the unit tests must
 * notice it. A run that was interrupted goes on; `--left` only tries what nothing has noticed yet, after new tests, and
 * `--report` tries nothing, after a change of accepted.ts.
 * The scores are in docs/proof/mutation.json.
 */
const folders = "envelope keys money facts orders records delivery processing receiving".split(" ");
const instrumenter = "@stryker-mutator/instrumenter";
const install = "install --silent --no-save --no-package-lock --ignore-scripts";
/** No test and no mutant takes that long, so the loop that runs has no end. */
const longestSilence = 180_000;

const flag = { type: "boolean", default: false } as const;
const options = { folder: { type: "string" }, left: flag, report: flag } as const;
const { values } = parseArgs({ options });
mkdirSync(tools, { recursive: true });
if (!existsSync(`${tools}/node_modules/${instrumenter}`)) {
  const all = `${install} --prefix ${tools} ${instrumenter}@10.1.1`.split(" ");
  execFileSync("npm", all, { stdio: "inherit" });
}
const chosen = values.folder?.split(",") ?? folders;
const mutants = await instrument(chosen);
if (!values.report) {
  begin(createHash("sha256").update(JSON.stringify(mutants)).digest("hex"), values.left);
  while (!(await runTests(mutants))) console.log("A test does not end. Going on without it.");
  note({ finished: true });
}
process.exitCode = chosen.map((folder) => report(folder, mutants)).every((isGood) => isGood)
  ? 0
  : 1;

/** Goes on with the journal of a run of the same code that was interrupted. */
function begin(code: string, onlyLeft: boolean): void {
  const last = readJournal().findLast((line) => "begun" in line);
  const isFinished = linesOfThisRun().some((line) => "finished" in line);
  if (isFinished && !onlyLeft) rmSync(journalFile);
  if (isFinished || last?.begun !== code) note({ begun: code });
}

/** False if it had to be ended, because a mutant does not end. */
async function runTests(all: readonly Mutant[]): Promise<boolean> {
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    `${import.meta.dirname}/vitest.config.ts`,
  ];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  let length = 0;
  let isStuck = false;
  const watch = setInterval(() => {
    const lines = linesOfThisRun();
    isStuck = lines.length === length;
    length = lines.length;
    if (!isStuck) return;
    const last = lines.findLast((line) => "trying" in line);
    const stuck = all.find(({ id }) => id === last?.trying);
    if (stuck !== undefined) note({ noticed: stuck.name, by: "no end", isTimeout: true });
    child.kill("SIGKILL");
  }, longestSilence);
  await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(watch);
  return !isStuck;
}
