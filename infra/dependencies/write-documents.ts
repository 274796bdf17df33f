import { writeFileSync } from "node:fs";
import { dependencyDocuments } from "./documents.ts";
import { shippedParts } from "./shipped-parts.ts";

/** Part of `npm run docs`. A test fails if a file differs from what this writes. */
for (const [path, text] of dependencyDocuments(await shippedParts())) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), text);
}
