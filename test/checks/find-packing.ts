import { readFileSync } from "node:fs";
import { projectFiles } from "./project-files.ts";

/** Places where a literal is spread only to keep several fields or elements on one line. */
export function packedLiterals(): string[] {
  return projectFiles()
    .filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file) && !file.startsWith("test/checks/"))
    .flatMap((file) => packedIn(file, readFileSync(file, "utf8")));
}

export function packedIn(file: string, text: string): string[] {
  return [...text.matchAll(/\.\.\.[{[]/g)]
    .filter(({ index }) => isWholeLiteral(text, index + 3))
    .map(({ index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line} spreads a literal. Write its fields or elements one by one.`;
    });
}

/** Not the beginning of an expression such as `[1, 2].map(f)`, and not the names of a rest parameter. */
function isWholeLiteral(text: string, start: number): boolean {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if ("{[(".includes(character)) depth++;
    if ("}])".includes(character)) depth--;
    if (depth === 0) return /^\s*[,})\]]/.test(text.slice(at + 1));
  }
  return false;
}
