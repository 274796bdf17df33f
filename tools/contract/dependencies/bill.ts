import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as z from "zod";
import { root, shippedParts } from "../packages/bundles.ts";
import { runBorrowed } from "./borrowed-tool.ts";
import { shippedBill } from "./shipped-bill.ts";

const folder = join(root, "dist", "sbom");

/** `npm run sbom`: CycloneDX documents of what `npm ci --omit=dev` installs, and of what the bundles really contain. */
const args = ["--omit=dev", "--package-lock-only", "--output-format=JSON", "--output-file=-"];
const production: unknown = JSON.parse(runBorrowed("@cyclonedx/cyclonedx-npm@6.0.1", ...args));
const documents = {
  "paycast-production.cdx.json": z.looseObject({}).parse(production),
  "paycast-shipped.cdx.json": shippedBill(production, await shippedParts()),
};
mkdirSync(folder, { recursive: true });
for (const [name, document] of Object.entries(documents)) {
  writeFileSync(join(folder, name), `${JSON.stringify(document, null, 2)}\n`);
  console.log(relative(root, join(folder, name)));
}
