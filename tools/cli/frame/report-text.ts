import { durationText, wholeSeconds } from "../../../shared/text/number-text.ts";
import { type Colours, printable } from "../../../shared/text/terminal-text.ts";
import type { Cell, Facts, Report, Section } from "../../operations/described/description.ts";
import { columns, pairs } from "./columns.ts";

/** A report as a terminal shows it. */
export function reportText(
  { lines, facts = [], sections = [], table, below = [], text }: Report,
  { colours, now }: { readonly colours: Colours; readonly now: number },
): string {
  const show = shower(colours, now);
  const parts = [
    sentences(lines, colours),
    factLines(facts, show),
    ...sections.flatMap(withParts).map((section) => sectionText(section, show, colours)),
    table === undefined
      ? ""
      : columns(
          table.head.map(colours.bold),
          table.rows.map((row) => row.map(show)),
        ),
    text === undefined ? "" : `${text.split("\n").map(printable).join("\n")}\n`,
    sentences(below, colours),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

type Show = (cell: Cell) => string;

const toneColours = { good: "green", open: "yellow", bad: "red" } as const;

function shower(colours: Colours, now: number): Show {
  return (cell) => {
    if (typeof cell === "string") return cell;
    if ("time" in cell) return timeText(cell.time, now);
    if ("tone" in cell) return colours[toneColours[cell.tone]](cell.text);
    if ("payment" in cell) return `payment ${cell.payment}`;
    return "order" in cell ? cell.order : cell.id;
  };
}

function factLines(facts: Facts, show: Show, indentation = ""): string {
  return pairs(facts.map(([name, value]) => [`${indentation}${name}`, value && show(value)]));
}

/** A section, then its parts, each as a section of its own. */
function withParts(section: Section): readonly Section[] {
  return [section, ...(section.sections ?? []).flatMap(withParts)];
}

function sectionText({ title, lines = [], facts = [] }: Section, show: Show, colours: Colours) {
  const head = `${colours.bold(printable(title))}\n`;
  return `${head}${factLines(facts, show, "  ")}${sentences(lines, colours)}`;
}

function sentences(lines: readonly string[], { red, yellow }: Colours): string {
  const painted = (line: string) =>
    line.replace(/^(Problem|Not now):/, red).replace(/^Warning:/, yellow);
  return lines.map((line) => `${painted(printable(line))}\n`).join("");
}

/** "2026-11-15T01:22:45Z", and how long ago that was or how far ahead it is. */
export function timeText(rfc3339: string, nowMilliseconds: number): string {
  return `${wholeSeconds(rfc3339)} (${agoText(rfc3339, nowMilliseconds)})`;
}

/** Two clocks differ a little: a time just ahead is now. */
const sameTimeSeconds = 60;

/** "12 min ago", or "in 8 days". */
export function agoText(rfc3339: string, nowMilliseconds: number): string {
  const seconds = (nowMilliseconds - Date.parse(rfc3339)) / 1000;
  if (seconds < -sameTimeSeconds) return `in ${durationText(-seconds)}`;
  return `${durationText(Math.max(0, seconds))} ago`;
}
