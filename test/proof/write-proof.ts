import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "../setup/read-options.ts";
import { root } from "./measured.ts";
import { proofDocuments } from "./proof-document.ts";

const help = `npm run proof -- write

Writes the figures of the last runs (docs/proof) into the documents. A test fails if they differ.
`;

/** `npm run proof -- write`. */
readOptions(help, {});
for (const [path, text] of proofDocuments()) writeFileSync(join(root, path), text);
