import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { measuredHere } from "../measured.ts";
import { accepted, type Mutant } from "./accepted.ts";

/**
 * `npm run mutate [-- --folder money]`: Stryker changes the domain in small ways, one at a time, and the unit tests must
 * notice it. A run that was interrupted goes on. The scores are in docs/proof/mutation.json.
 */
const folders = "envelope keys money facts orders records delivery processing receiving".split(" ");
const goal = 90;
const scoresFile = "docs/proof/mutation.json";
// Below node_modules, so that Stryker uses the repository's own vitest. It needs Node 22 or later.
const tools = "node_modules/.cache/mutate";
const packages = `node-linux-${process.arch}@24.21.0 @stryker-mutator/core@10.1.1 @stryker-mutator/vitest-runner@10.1.1`;
const install = "install --silent --no-save --no-package-lock --ignore-scripts --legacy-peer-deps";

interface Reported {
  readonly status: string;
  readonly replacement: string;
  readonly location: Record<"start" | "end", { readonly line: number; readonly column: number }>;
}

interface Report {
  readonly files: Record<string, { readonly source: string; readonly mutants: Reported[] }>;
}

/** One run of Stryker. `tests` is a folder of test/shared, or "" for all unit tests. */
function mutate(name: string, tests: string, files: readonly string[]): readonly Mutant[] {
  const base = `${tools}/${name}`;
  const config = {
    testRunner: "vitest",
    vitest: { configFile: "test/proof/mutate/vitest.config.ts", related: false, pool: "threads" },
    mutate: files,
    coverageAnalysis: "perTest",
    // What runs once, when its module is loaded, is in no test's coverage: each change of it would need all tests.
    ignoreStatic: true,
    ...{ concurrency: 1, timeoutMS: 20_000, tempDirName: ".build/mutate" },
    // TypeScript 7 has no API that Stryker could read a tsconfig with.
    tsconfigFile: "none",
    ...{ incremental: true, incrementalFile: `${base}.incremental.json` },
    reporters: ["progress-append-only", "json"],
    jsonReporter: { fileName: `${base}.report.json` },
  };
  writeFileSync(`${base}.config.json`, JSON.stringify(config));
  const node = `${tools}/node_modules/node-linux-${process.arch}/bin/node`;
  const args = [`${tools}/node_modules/.bin/stryker`, "run", `${base}.config.json`];
  const env = { ...process.env, MUTATE_TESTS: tests };
  const { status } = spawnSync(node, args, { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
  const report: Report = JSON.parse(readFileSync(`${base}.report.json`, "utf8"));
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants.flatMap((mutant) => asMutant(file, source, mutant)),
  );
}

/** None if it does not count: Stryker left it out, or it broke the run itself. */
function asMutant(file: string, source: string, { status, replacement, location }: Reported) {
  if (!["Killed", "Timeout", "Survived", "NoCoverage"].includes(status)) return [];
  const { start, end } = location;
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const cut = lines.length === 1 ? end.column - 1 : undefined;
  const code = [lines[0]?.slice(start.column - 1, cut), ...lines.slice(1)].join("\n");
  const at = `${file}:${start.line}:${start.column}-${end.line}:${end.column}`;
  return [{ at, code, replacement, isSurvivor: status === "Survived" || status === "NoCoverage" }];
}

/** First with the folder's own tests, which is fast. What survives them, with all unit tests. */
function scoreOf(folder: string): boolean {
  const own = mutate(folder, `${folder}/`, [`shared/${folder}/**/*.ts`]);
  const left = own.filter(({ isSurvivor }) => isSurvivor);
  const again =
    left.length === 0
      ? []
      : mutate(
          `${folder}-all`,
          "",
          left.map(({ at }) => at),
        );
  const nameOf = ({ at, replacement }: Mutant) => `${at} ${replacement}`;
  const killed = new Set(again.filter(({ isSurvivor }) => !isSurvivor).map(nameOf));
  return report(
    folder,
    own.length,
    left.filter((mutant) => !killed.has(nameOf(mutant))),
  );
}

/** True if nothing is left to do: the goal is reached, and each survivor has its reason. */
function report(folder: string, mutants: number, survivors: readonly Mutant[]): boolean {
  const reasons = accepted.filter((one) => one.folder === folder);
  const unread = survivors.filter((mutant) => !reasons.some((one) => one.matches(mutant)));
  const stale = reasons.filter((one) => !survivors.some(one.matches));
  const score = Math.round((1000 * (mutants - survivors.length)) / mutants) / 10;
  writeScore(folder, { score, mutants, survivors: survivors.length, unread: unread.length });
  console.log(`${folder}: ${score} % of ${mutants}`);
  for (const { at, code, replacement } of unread) console.log(`  ${at} ${code} => ${replacement}`);
  for (const { reason } of stale) console.log(`  accepted.ts lists what is no survivor: ${reason}`);
  return score >= goal && unread.length === 0 && stale.length === 0;
}

function writeScore(folder: string, counts: object): void {
  const before = existsSync(scoresFile) ? JSON.parse(readFileSync(scoresFile, "utf8")) : {};
  const score = { ...counts, ...measuredHere(), machine: `${process.arch}, Node 24.21.0` };
  writeFileSync(scoresFile, `${JSON.stringify({ ...before, [folder]: score }, undefined, 1)}\n`);
}

const { values } = parseArgs({ options: { folder: { type: "string" } } });
mkdirSync(tools, { recursive: true });
if (!existsSync(`${tools}/node_modules/@stryker-mutator/vitest-runner`)) {
  const all = `${install} --prefix ${tools} ${packages}`.split(" ");
  execFileSync("npm", all, { stdio: "inherit" });
}
const results = (values.folder === undefined ? folders : [values.folder]).map(scoreOf);
process.exitCode = results.every((isGood) => isGood) ? 0 : 1;
