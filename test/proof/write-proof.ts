import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./measured.ts";
import { proofDocument } from "./proof-document.ts";

/** `npm run proof`: the figures of the last runs go into docs/proof.md. A test fails if they differ. */
writeFileSync(join(root, "docs/proof.md"), proofDocument());
