import type { Cell, Report } from "../../operations/described/description.ts";
import { printable } from "../../shared/terminal-text.ts";
import { columns, pairs } from "./columns.ts";
import type { Terminal } from "./command.ts";
import { timeText } from "./time-text.ts";

/** A report as a terminal shows it. */
export function reportText(
  { lines, facts, table, below = [], text }: Report,
  { colours }: Terminal,
): string {
  const now = Date.now();
  const show = (cell: Cell) => (typeof cell === "string" ? cell : timeText(cell.time, now));
  const parts = [
    sentences(lines),
    facts === undefined ? "" : pairs(facts.map(([name, value]) => [name, value && show(value)])),
    table === undefined
      ? ""
      : columns(
          table.head.map(colours.bold),
          table.rows.map((row) => row.map(show)),
        ),
    sentences(below),
    text === undefined ? "" : `${text.split("\n").map(printable).join("\n")}\n`,
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function sentences(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join("");
}
