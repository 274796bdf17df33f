import { readFileSync } from "node:fs";

// Plain JavaScript: an old Node cannot load the TypeScript sources, so it gets its message here.
const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
const oldest = manifest.engines.node.replace(">=", "");
const { node } = process.versions;
if (isAtLeast(node, oldest)) await start();
else {
  refuse(
    `Paycast needs Node ${oldest} or later. This is Node ${node}. Install a newer version, for example with: nvm install`,
  );
}

function isAtLeast(version, oldest) {
  const [major, minor] = version.split(".").map(Number);
  const [oldestMajor, oldestMinor] = oldest.split(".").map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

async function start() {
  const tsx = await import("tsx/esm/api").catch(() => undefined);
  if (tsx === undefined) return refuse("Paycast's packages are not installed. Run npm ci first.");
  tsx.register();
  await import("./start.ts");
}

function refuse(message) {
  console.error(message);
  process.exitCode = 1;
}
