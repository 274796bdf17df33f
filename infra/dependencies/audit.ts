import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { acceptedAdvisories } from "./accepted-advisories.ts";
import { type Judgement, judge } from "./judge-findings.ts";
import { closureOf, lockedPackages, productionNames } from "./lock-file.ts";
import { readFindings } from "./read-findings.ts";

const cwd = fileURLToPath(new URL("../..", import.meta.url));

/** What is shipped or runs on people's machines. */
function guardedPaths(): ReadonlySet<string> {
  const packages = closureOf(productionNames, lockedPackages());
  return new Set([...packages].map(({ path }) => path));
}

/** What npm writes. Its exit code tells nothing: it is the same for a finding and for a registry without an answer. */
function askRegistry(): string {
  const args = ["audit", "--json", "--fetch-retries=1", "--fetch-timeout=20000"];
  // A report that is cut off could not be read, and would pass for no answer.
  const options = { cwd, encoding: "utf8", timeout: 120_000, maxBuffer: 100_000_000 } as const;
  return spawnSync("npm", args, options).stdout;
}

function tell({ finding, verdict }: Judgement): void {
  const { severity, name, title, id, paths } = finding;
  console.log(`${verdict}: ${severity} in ${name}: ${title} (${id}), ${paths.join(", ")}`);
}

/** `npm run audit`. */
function main(): void {
  const findings = readFindings(askRegistry());
  if (findings === "no-answer") {
    console.log("NOT CHECKED: the registry did not tell about known vulnerabilities.");
    return;
  }
  if (findings === "unreadable") {
    console.log("The report of npm audit has a finding that cannot be read. Run npm audit.");
    process.exitCode = 1;
    return;
  }
  const rules = { guarded: guardedPaths(), accepted: acceptedAdvisories, now: new Date() };
  const judgements = findings.map((finding) => judge(finding, rules));
  for (const judgement of judgements) tell(judgement);
  const failed = judgements.filter(({ verdict }) => verdict === "fails").length;
  console.log(`${findings.length} known vulnerabilities, of which ${failed} must be fixed.`);
  if (failed > 0) console.log("See docs/dependencies.md#known-vulnerabilities for what to do.");
  process.exitCode = failed === 0 ? 0 : 1;
}

main();
