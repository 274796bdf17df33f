import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { parseJson } from "../../../shared/parse-json.ts";

const cwd = fileURLToPath(new URL("../../..", import.meta.url));
/** Not the tools of the tests: they see no payment. */
const args = ["audit", "--omit=dev", "--audit-level=high"];
const waiting = ["--fetch-retries=1", "--fetch-timeout=20000"];

const reportSchema = z.object({ vulnerabilities: z.object({}) });

/** `npm run audit`. npm's exit code is the same for a finding and for a registry without an answer; only its report tells. */
const { stdout, status } = spawnSync("npm", [...args, ...waiting, "--json"], {
  cwd,
  encoding: "utf8",
  timeout: 120_000,
  // A report that is cut off would pass for no answer.
  maxBuffer: 100_000_000,
});
if (!reportSchema.safeParse(parseJson(stdout)).success) {
  console.log("NOT CHECKED: the registry did not tell about known vulnerabilities.");
} else if (status === 0) {
  console.log("No high or critical vulnerability is known in what is shipped or installed.");
} else {
  spawnSync("npm", [...args, ...waiting], { cwd, stdio: "inherit" });
  console.log("See docs/dependencies.md#known-vulnerabilities for what to do.");
  process.exitCode = 1;
}
