import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./measured.ts";
import { proofDocuments } from "./proof-document.ts";

/** `npm run proof -- write`: the figures of the last runs go into the documents. A test fails if they differ. */
for (const [path, text] of proofDocuments()) writeFileSync(join(root, path), text);
