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
import { readFigures, root, writeFigures } from "../measured.ts";
import {
  type Finding,
  type Findings,
  type Mistake,
  readMistakes,
  withMistake,
} from "./mistakes.ts";

const help = `npm run sabotage -- [--only NAME]

Puts one mistake after the other into a copy of the sources, and lets the chaos run look for it. What it found is kept in
docs/proof/sabotage.json: a run that was interrupted goes on there. With --only, this mistake is looked for again.
`;
const recordFile = join(root, "docs/proof/sabotage.json");

/** `npm run sabotage`. */
const { values } = parseArgs({
  options: { only: { type: "string" }, help: { type: "boolean", default: false } },
});
if (values.help) console.log(help);
else process.exitCode = sabotage() ? 0 : 1;

/** False if a mistake was not noticed by the rule that is there for it. */
function sabotage(): boolean {
  const isWanted = ({ name }: Mistake) =>
    values.only === undefined ? found()[name] === undefined : name === values.only;
  const copy = copyRepository();
  const missed = readMistakes()
    .filter(isWanted)
    .filter((mistake) => !isNoticed(copy, mistake));
  if (missed.length === 0) rmSync(copy, { recursive: true });
  return missed.length === 0;
}

function isNoticed(copy: string, mistake: Mistake): boolean {
  const { name, rule } = mistake;
  const finding = look(copy, mistake);
  const isNoticed = finding.doesNotSettle !== undefined || rule in finding.noticedBy;
  console.log(isNoticed ? "Noticed:" : `Not noticed (see ${copy}/chaos.log):`, name, finding);
  if (isNoticed) writeFigures(recordFile, { mistakes: { ...found(), [name]: finding } });
  return isNoticed;
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

/** One chaos run with the mistake. */
function look(copy: string, mistake: Mistake): Finding {
  const file = join(copy, mistake.file);
  const [record, log] = [join(copy, "chaos.json"), join(copy, "chaos.log")];
  const original = readFileSync(file, "utf8");
  writeFileSync(file, withMistake(original, mistake));
  rmSync(record, { force: true });
  const options = ["--seconds=30", "--rate=2", "--patience=300", `--record=${record}`];
  const run = ["--import", "tsx", "test/proof/chaos/main.ts", ...options, ...mistake.options];
  const output = openSync(log, "w");
  spawnSync(process.execPath, run, { cwd: copy, stdio: ["ignore", output, output] });
  writeFileSync(file, original);
  const [round] = readFigures<{ readonly rounds: readonly Round[] }>(record)?.rounds ?? [];
  if (round !== undefined) return { noticedBy: violationsOf(round) };
  const [error] = /^Error: The queues do not get empty.*/m.exec(readFileSync(log, "utf8")) ?? [];
  if (error === undefined) throw new Error(`The round itself failed: see ${log}.`);
  return { noticedBy: {}, doesNotSettle: error };
}

function violationsOf({ results }: Round): Record<string, number> {
  const counted = results.map(({ rule, violations }) => [rule, violations.length] as const);
  return Object.fromEntries(counted.filter(([, count]) => count > 0));
}
