import { readFileSync } from "node:fs";
import type { ShippedPart } from "../packages/construct/bundle-parts.ts";
import { bundledPackages } from "../packages/construct/bundled-packages.ts";
import { noticesFor } from "../packages/construct/notices.ts";
import { fillTables } from "../schemas/markdown-table.ts";
import { directTable, licenceTable, shippedTable } from "./tables.ts";

const page = "docs/dependencies.md";

/** Every file that follows from the dependencies: its path in the repository, and its text. */
export function dependencyDocuments(parts: readonly ShippedPart[]): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8");
  const tables = {
    direct: directTable(parts),
    shipped: shippedTable(parts),
    licences: licenceTable(),
  };
  return new Map([
    [page, fillTables(text, tables)],
    [
      "THIRD-PARTY-NOTICES.txt",
      noticesFor(bundledPackages(parts.flatMap(({ content }) => content))),
    ],
  ]);
}
