import { runBorrowed } from "./borrowed-tool.ts";
import { installedLicences } from "./licences.ts";

/** A person read these: their package.json does not have an SPDX expression. */
const readByHand = [
  // ["MIT", "Apache2"]: its LICENSE says that both are offered.
  "pause-stream@0.0.11",
];

/** `npm run licences`, for all that is installed. What is shipped has a shorter list, which a test checks. */
try {
  const allowed = ["--onlyAllow", installedLicences.join(";")];
  const others = ["--excludePackages", readByHand.join(";"), "--excludePrivatePackages"];
  const args = [...allowed, ...others, "--summary"];
  console.log(runBorrowed("license-checker-rseidelsohn", "5.0.1", args));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error("Use another package, or read the licence and add it to licences.ts here.");
  process.exitCode = 1;
}
