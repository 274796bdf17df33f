import { widthOf } from "./colours.ts";

/** Rows in aligned columns, the first row being the head. The last column is not padded. */
export function columns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(printable))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ""))));
  return all.map((row) => `${alignRow(row, widths)}\n`).join("");
}

/** Names and values, one pair a line. Pairs without a value are left out. */
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

/**
 * What came from outside may hold control characters, and a terminal would obey them. Only the colours that this
 * command itself writes are left.
 */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|\p{Bidi_Control}/gu, (character, at: number) =>
    isOwnColour(text.slice(at, at + 5)) ? character : "\ufffd",
  );
}

/** The same for a text of several lines: the line breaks stay. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

function isOwnColour(text: string): boolean {
  return text.startsWith("\u001b") && /^\[(1|2|22|3[1239])m/.test(text.slice(1));
}
