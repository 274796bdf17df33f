import { readFileSync } from "node:fs";
import { restRule } from "../chaos/figures.ts";

/** A possible mistake: one exact text of a source file, replaced by another. */
export interface Mistake {
  readonly name: string;
  /** The rule of the chaos run's checker that must detect it. Others may detect it too. */
  readonly rule: string;
  readonly file: string;
  /** Options of the chaos run: the disturbances or stories that the mistake needs to have an effect. */
  readonly options: readonly string[];
  readonly from: string;
  readonly to: string;
}

/** How often each rule detected a mistake. */
export interface Finding {
  readonly commit: string;
  /** How many rounds it took. */
  readonly rounds?: number;
  readonly noticedBy: Readonly<Record<string, number>>;
}

export interface Findings {
  readonly mistakes: Readonly<Record<string, Finding>>;
}

/** Detected by its rule, or because work never finishes. */
export function isNoticed({ rule }: Mistake, { noticedBy }: Finding): boolean {
  return rule in noticedBy || restRule in noticedBy;
}

/**
 * Reads mistakes.txt: the rules in lines with "#", and below each one its mistakes, with their name, file and options in
 * the first line, the text of the sources in lines with "-", and what replaces it in lines with "+".
 */
export function readMistakes(): Mistake[] {
  const text = readFileSync(new URL("mistakes.txt", import.meta.url), "utf8");
  let rule = "";
  return text.split(/\n\n/).flatMap((paragraph) => {
    if (paragraph.startsWith("# ")) rule = paragraph.slice(2);
    return paragraph.startsWith("# ") ? [] : [readMistake(rule, paragraph.split("\n"))];
  });
}

function readMistake(rule: string, [head = "", ...lines]: readonly string[]): Mistake {
  const [named = "", ...options] = head.split(/ (?=--)/);
  const [name = "", file = ""] = named.split(": ");
  const textOf = (sign: string) =>
    lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(sign.length)] : [])).join("\n");
  return { name, rule, file, options, from: textOf("- "), to: textOf("+ ") };
}

/** The text of the file with the mistake. Throws unless the original is there exactly once. */
export function withMistake(text: string, { name, file, from, to }: Mistake): string {
  const found = text.split(from).length - 1;
  if (found === 1) return text.replace(from, () => to);
  throw new Error(`"${name}" does not fit: ${file} has the text ${found} times, not once: ${from}`);
}
