import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../packages/bundles.ts";
import { contractDocuments } from "./documents.ts";

/** `npm run docs`. Tests fail if a file differs from what this writes. */
for (const [path, text] of contractDocuments()) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
