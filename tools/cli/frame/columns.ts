import { printable, widthOf } from "../../../shared/text/terminal-text.ts";

/** Rows in aligned columns, the first row being the head. The last column is not padded. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_item, column) =>
    Math.max(...all.map((row) => widthOf(row[column] ?? ""))),
  );
  return all.map((row) => `${alignRow(row, widths)}\n`).join("");
}

/**
 * The same for rows that arrive one by one: a column is as wide as its widest cell so far. The widths to begin with
 * keep the first rows from moving.
 */
export function createAligned(usual: readonly number[]): (row: readonly string[]) => string {
  let widths = usual;
  return (row) => {
    widths = row.map((cell, column) => Math.max(widths[column] ?? 0, widthOf(cell)));
    return `${alignRow(row, widths)}\n`;
  };
}

/** Names and values, one pair a line. Pairs without a value are omitted. */
export function pairs(entries: readonly (readonly [string, string | undefined])[]): string {
  const given = entries.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, printable(value)] as const],
  );
  const width = Math.max(0, ...given.map(([name]) => widthOf(name)));
  return given.map(([name, value]) => `${pad(name, width)}  ${value}\n`).join("");
}

function alignRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
    .join("  ")
    .trimEnd();
}

function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
