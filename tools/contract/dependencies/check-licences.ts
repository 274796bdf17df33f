import * as z from "zod";
import { runBorrowed } from "./borrowed-tool.ts";
import { mayBeInstalled } from "./licences.ts";

/** A person read these: their package.json does not have an SPDX expression. */
const readByHand = [
  // ["MIT", "Apache2"]: its LICENSE says that both are offered.
  "pause-stream@0.0.11",
];

const installedSchema = z.record(z.string(), z.object({ licenses: z.unknown() }));

/** `npm run licences`, for all that is installed. What is shipped has a shorter list, which a test checks. */
const args = ["--json", "--excludePrivatePackages"];
// The newest version that runs on Node 20.
const report = runBorrowed("license-checker-rseidelsohn@4.4.2", ...args);
const installed = Object.entries(installedSchema.parse(JSON.parse(report)));
if (installed.length === 0) throw new Error("No installed package was found: run npm ci.");
const refused = installed.filter(
  ([name, { licenses }]) => !readByHand.includes(name) && !mayBeInstalled(licenses),
);
for (const [name, { licenses }] of refused) console.error(name, licenses);
if (refused.length > 0) {
  console.error("Use another package, or read the licence and add it to licences.ts here.");
  process.exitCode = 1;
} else console.log(`The licences of all ${installed.length} installed packages are allowed.`);
