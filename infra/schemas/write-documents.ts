import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { eventDocuments } from "./documents.ts";

/** Part of `npm run docs`. A test fails if a file differs from what this writes. */
for (const [path, text] of eventDocuments()) {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
