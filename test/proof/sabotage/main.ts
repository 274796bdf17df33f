import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Round } from "../chaos/figures.ts";
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

Puts one mistake after the other into a copy of the sources, and lets the chaos run look for it, in at most three rounds.
What it found is kept in docs/proof/sabotage.json: a run that was interrupted goes on there, and looks again for what was
not noticed. With --only, these mistakes are looked for again. With --dry, nothing is kept.
`;
const recordFile = join(root, "docs/proof/sabotage.json");
const mostRounds = 3;

/** `npm run proof -- sabotage`. */
const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    dry: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) console.log(help);
else process.exitCode = sabotage() ? 0 : 1;

/** False if a mistake was not noticed by the rule that is there for it. */
function sabotage(): boolean {
  const isWanted = (mistake: Mistake) => {
    const finding = found()[mistake.name];
    if (values.only !== undefined) return values.only.includes(mistake.name);
    return finding === undefined || !isNoticed(mistake, finding);
  };
  const copy = copyRepository();
  const wanted = readMistakes().filter(isWanted);
  const unknown = values.only?.filter((name) => !wanted.some((mistake) => mistake.name === name));
  if (unknown?.length) throw new Error(`No such mistake: ${unknown.join(", ")}`);
  const missed = wanted.filter((mistake) => !isFound(copy, mistake));
  if (missed.length === 0) rmSync(copy, { recursive: true });
  return missed.length === 0;
}

function isFound(copy: string, mistake: Mistake): boolean {
  const { name } = mistake;
  const finding = lookThrice(copy, mistake);
  const isFound = isNoticed(mistake, finding);
  console.log(isFound ? "Noticed:" : `Not noticed (see ${copy}/chaos.log):`, name, finding);
  if (!values.dry) writeFigures(recordFile, { mistakes: { ...found(), [name]: finding } });
  return isFound;
}

function found(): Findings["mistakes"] {
  return readFigures<Findings>(recordFile)?.mistakes ?? {};
}

/** The tracked files as they are now. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), "paycast-sabotage-"));
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root }).toString().split("\0");
  for (const file of files.filter(Boolean)) cpSync(join(root, file), join(copy, file));
  for (const name of ["node_modules", ".git"]) symlinkSync(join(root, name), join(copy, name));
  return copy;
}

/** Rounds with other seeds, until the mistake is noticed. */
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
    console.log(`${mistake.name}: a round failed or was not judged: see ${log}`);
  const noticedBy = round === undefined ? {} : violationsOf(round);
  return { commit: measuredHere().commit, rounds: 1, noticedBy };
}

function violationsOf({ results }: Round): Record<string, number> {
  const counted = results.map(({ rule, violations }) => [rule, violations.length] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}
