import { repeatedNames } from "../json/find-repeated-name.ts";
import { deepestField, longestPointer, mostLooked } from "./body-limits.ts";
import { type Fault, faultAt, type Path } from "./problem.ts";

/** Of two values under one name, a reader would use only the last. */
export function repeatedNameFaults(json: string): Fault[] {
  const faults = new Map<string, Fault>();
  for (const path of repeatedNames(json)) {
    const short = shortened(path);
    const isWhole = short.length === path.length;
    const predicate = isWhole ? "is named more than once" : "holds a name more than once";
    const fault = faultAt(short, predicate);
    faults.set(fault.pointer, fault);
    if (faults.size === mostLooked) break;
  }
  return [...faults.values()];
}

/** A pointer to a deep place, or with a long name, is cut: many of them could fill the memory. */
function shortened(path: Path): Path {
  let steps = 0;
  let characters = 0;
  for (const step of path.slice(0, deepestField)) {
    characters += 1 + String(step).length;
    if (characters > longestPointer) break;
    steps += 1;
  }
  return path.slice(0, steps);
}

/** API Gateway and decoders put this character in the place of bytes that are not UTF-8. */
const replacement = "\ufffd";

export function isReplaced(text: string): boolean {
  return text.includes(replacement);
}

/** Two numbers of orders in another encoding would become the same one. */
export function encodingFaults(json: string, body: unknown): Fault[] {
  if (!isReplaced(json)) return [];
  const predicate = "must be UTF-8: it holds the character U+FFFD, which replaces other bytes";
  const paths = replacedTexts(body, []).slice(0, mostLooked);
  return (paths.length === 0 ? [[]] : paths).map((path) => faultAt(path, predicate));
}

/** Deeper values are in fields that do not exist. */
function replacedTexts(value: unknown, path: Path): Path[] {
  if (typeof value === "string") return isReplaced(value) ? [path] : [];
  if (typeof value !== "object" || value === null || path.length === deepestField) return [];
  const known = Object.entries(value).filter(([name]) => name.length <= longestPointer);
  return known.flatMap(([name, inner]) => replacedTexts(inner, [...path, name]));
}
