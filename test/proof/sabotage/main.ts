import { spawnSync } from "node:child_process";
import { openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions, refuse } from "../../setup/read-options.ts";
import type { Round } from "../chaos/figures.ts";
import { copyRepository } from "../copy-repository.ts";
import { measuredHere, readFigures, root, writeFigures } from "../measured.ts";
import {
  type Finding,
  type Findings,
  isNoticed,
  type Mistake,
  readMistakes,
  withMistake,
} from "./mistakes.ts";

const help = `npm run proof -- sabotage [--only NAME]... [--dry]

Adds one mistake at a time to a copy of the sources, and runs chaos on the copy until it detects the mistake, at most
three rounds. The names are in test/proof/sabotage/mistakes.txt.
The results go to docs/proof/sabotage.json. An interrupted run continues from there, and repeats the mistakes that
were not detected.

  --only NAME   run this mistake, even if it has a result
  --dry         do not write the results
  --help        print this help
`;
const recordFile = join(root, "docs/proof/sabotage.json");
const mostRounds = 3;

/** `npm run proof -- sabotage`. */
const values = readOptions(help, {
  only: { type: "string", multiple: true },
  dry: { type: "boolean", default: false },
});
process.exitCode = sabotage() ? 0 : 1;

/** False if the rule for a mistake did not detect it. */
function sabotage(): boolean {
  const isWanted = (mistake: Mistake) => {
    const finding = found()[mistake.name];
    if (values.only !== undefined) return values.only.includes(mistake.name);
    return finding === undefined || !isNoticed(mistake, finding);
  };
  const wanted = readMistakes().filter(isWanted);
  const unknown = values.only?.filter((name) => !wanted.some((mistake) => mistake.name === name));
  if (unknown?.length) refuse(`No such mistake: ${unknown.join(", ")}.`);
  const copy = copyRepository("sabotage");
  const missed = wanted.filter((mistake) => !isFound(copy, mistake));
  if (missed.length === 0) rmSync(copy, { recursive: true });
  return missed.length === 0;
}

function isFound(copy: string, mistake: Mistake): boolean {
  const { name } = mistake;
  const finding = lookThrice(copy, mistake);
  const isFound = isNoticed(mistake, finding);
  console.log(isFound ? "Detected:" : `Not detected (see ${copy}/chaos.log):`, name, finding);
  if (!values.dry) writeFigures(recordFile, { mistakes: { ...found(), [name]: finding } });
  return isFound;
}

function found(): Findings["mistakes"] {
  return readFigures<Findings>(recordFile)?.mistakes ?? {};
}

/** Rounds with other seeds, until the mistake is detected. */
function lookThrice(copy: string, mistake: Mistake): Finding {
  let finding = look(copy, mistake, 1);
  for (let seed = 2; seed <= mostRounds && !isNoticed(mistake, finding); seed += 1) {
    finding = { ...look(copy, mistake, seed), rounds: seed };
  }
  return finding;
}

/** One chaos run with the mistake. */
function look(copy: string, mistake: Mistake, seed: number): Finding {
  const file = join(copy, mistake.file);
  const [record, log] = [join(copy, "chaos.json"), join(copy, "chaos.log")];
  const original = readFileSync(file, "utf8");
  writeFileSync(file, withMistake(original, mistake));
  rmSync(record, { force: true });
  const bounds = ["--seconds=30", "--rate=2", "--patience=300"];
  const options = [...bounds, `--seed=${seed}`, `--record=${record}`];
  const run = ["--import", "tsx", "test/proof/chaos/main.ts", ...options, ...mistake.options];
  const output = openSync(log, "w");
  spawnSync(process.execPath, run, { cwd: copy, stdio: ["ignore", output, output] });
  writeFileSync(file, original);
  const [round] = readFigures<{ readonly rounds: readonly Round[] }>(record)?.rounds ?? [];
  if (round === undefined)
    console.log(`${mistake.name}: a round failed or was not judged; see ${log}`);
  const noticedBy = round === undefined ? {} : violationsOf(round);
  return { commit: measuredHere().commit, rounds: 1, noticedBy };
}

function violationsOf({ results }: Round): Record<string, number> {
  const counted = results.map(({ rule, violations }) => [rule, violations.length] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}
