import { refusalOfNode } from "./supported-node.mjs";

// Plain JavaScript: an old Node could not even read the TypeScript sources, so it gets its message here.
const refusal = refusalOfNode(process.versions.node);
if (refusal === undefined) {
  const { register } = await import("tsx/esm/api");
  register();
  await import("./start.ts");
} else {
  console.error(refusal);
  process.exitCode = 1;
}
