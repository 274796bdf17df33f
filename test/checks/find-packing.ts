import { readFileSync } from "node:fs";
import { projectFiles } from "./project-files.ts";

/** Places that a formatter cannot lay out for the reader: spread literals, and names that say nothing. */
export function packedPlaces(): string[] {
  return projectFiles()
    .filter((file) => /\.(ts|tsx|mts|mjs)$/.test(file) && !file.startsWith("test/checks/"))
    .flatMap((file) => {
      const text = readFileSync(file, "utf8");
      return [...spreadLiterals(file, text), ...namelessIn(file, text), ...vagueIn(file, text)];
    });
}

/** A literal that is spread only to keep several fields, elements or parameters on one line. */
export function spreadLiterals(file: string, text: string): string[] {
  return [...text.matchAll(/\.\.\.[{[]/g)]
    .filter(({ index }) => isWholeLiteral(text, index + 3))
    .map(
      ({ index }) =>
        `${file}:${lineOf(text, index)} spreads a literal. Write its fields or elements one by one.`,
    );
}

/** Parameters and variables whose names have only underscores. */
export function namelessIn(file: string, text: string): string[] {
  const names = /(?<=[({[,:]\s*|\b(?:const|let) )_+(?=\s*(?:[,):}=\]]| of\b))/g;
  return [...text.matchAll(names)].map(
    ({ 0: name, index }) =>
      `${file}:${lineOf(text, index)} has the name ${name}. Say what is not used, such as _event.`,
  );
}

const vague = String.raw`(?<!["'\w-]|(?<!\.\.)\.)(one|told|desk|Told|Desk)\b(?!["'-])`;

const declarations = [
  String.raw`\b(?:const|let|function|interface|type) ${vague}(?=\s*[=:(<{;]| of\b| extends\b)`,
  String.raw`\b(?:const|let) [{[](?:[^=;]*[^\w=;])??${vague}(?=\s*[,}\]=])[^;]*?[}\]] (?:=|of) `,
  String.raw`\((?:[^()]*[^\w()])??${vague}(?=\s*[,:=?)}\]])[^()]*\)(?:: [\w.<>[\]]+)? =>`,
  String.raw`\bfunction \w+(?:<[^()]*>)?\((?:[^()]*[^\w()])??${vague}(?=\s*[,:=?)}\]])`,
].map((form) => new RegExp(form, "g"));

/** Parameters, variables, functions and types with a name that does not say what they hold. */
export function vagueIn(file: string, text: string): string[] {
  return declarations.flatMap((form) =>
    [...text.matchAll(form)].map(
      ({ 1: name, index }) =>
        `${file}:${lineOf(text, index)} has the name ${name}. Name what it holds.`,
    ),
  );
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** Not the beginning of an expression such as `[1, 2].map(f)`. */
function isWholeLiteral(text: string, start: number): boolean {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if ("{[(".includes(character)) depth++;
    if ("}])".includes(character)) depth--;
    if (depth === 0) return /^\s*[,})\]:]/.test(text.slice(at + 1));
  }
  return false;
}
