import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { refuseHoles } from "./refuse-holes.ts";

/** Throws `local-text-missing` if a cell has no text. An empty one is no mistake. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  for (const row of rows) {
    // `npm run docs` does not compile: a text that is missing arrives here as undefined.
    for (const cell of row) refuseHoles(`The table row of ${row[0]}`, String(cell));
  }
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
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
    const message = `A document needs the lines ${begin} and ${end}, with the table between them.`;
    throw new PaycastError("local-marks-missing", message);
  }, text);
}
