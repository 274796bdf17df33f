import { refusalOfNode } from "./supported-node.mjs";

// Plain JavaScript: an old Node could not even read the TypeScript sources, so it gets its message here.
const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  await start();
} else {
  refuse(refusal);
}

async function start() {
  const tsx = await import("tsx/esm/api").catch(() => undefined);
  if (tsx === undefined)
    return refuse("The packages of Paycast are not installed. Run npm ci first.");
  tsx.register();
  await import("./start.ts");
}

function refuse(message) {
  console.error(message);
  process.exitCode = 1;
}
