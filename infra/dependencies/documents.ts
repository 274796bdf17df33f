import { readFileSync } from "node:fs";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { ShippedPart } from "../packages/construct/bundle-parts.ts";
import { bundledPackages } from "../packages/construct/bundled-packages.ts";
import { noticesFor } from "../packages/construct/notices.ts";
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

/** Puts each table between its two marks. People write the rest of the page. Throws `local-marks-missing`. */
export function fillTables(text: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((filled, [name, table]) => {
    const [begin, end] = [`<!-- made table: ${name} -->`, "<!-- end -->"];
    const [before, rest] = filled.split(begin);
    const after = rest?.slice(rest.indexOf(end));
    if (before !== undefined && after?.startsWith(end)) {
      return `${before}${begin}\n\n${table}\n\n${after}`;
    }
    const message = `${page} needs the lines ${begin} and ${end}, with the table between them.`;
    throw new PaycastError("local-marks-missing", message);
  }, text);
}
