import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { productionSbom, shippedSbom } from "./sbom.ts";
import { shippedParts } from "./shipped-parts.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, "dist", "sbom");

/** `npm run sbom`: CycloneDX documents in `dist/sbom`. */
const now = new Date();
const documents = {
  "paycast-shipped.cdx.json": shippedSbom(await shippedParts(), now),
  "paycast-production.cdx.json": productionSbom(now),
};
mkdirSync(folder, { recursive: true });
for (const [name, document] of Object.entries(documents)) {
  writeFileSync(join(folder, name), `${JSON.stringify(document, null, 2)}\n`);
  console.log(relative(root, join(folder, name)));
}
