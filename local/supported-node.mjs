import { readFileSync } from "node:fs";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Why this version of Node cannot run Paycast, or undefined if it can. `engines` of package.json names the oldest one. */
export function refusalOfNode(version) {
  const oldest = manifest.engines.node.replace(">=", "");
  if (isAtLeast(version, oldest)) return undefined;
  return `Paycast needs Node ${oldest} or later, and this is Node ${version}. Install a newer one, for example with: nvm install`;
}

function isAtLeast(version, oldest) {
  const [major, minor] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldest.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
