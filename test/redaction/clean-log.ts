import { existsSync, readFileSync } from "node:fs";
import { functionLogFile } from "../../tools/operations/local-stack/local-description.ts";
import { faultsOfLine } from "./line-rules.ts";

const mostShown = 5;

/** Throws if functions have written anything that is not on the list of what a log line may hold. */
export function expectCleanLines(lines: readonly string[]): void {
  const faults = lines.flatMap(faultsOfLine);
  if (faults.length === 0) return;
  throw new Error(`The log holds what it must not:\n${faults.slice(0, mostShown).join("\n")}`);
}

/** The same for all that the functions of a local stack have written. */
export function expectCleanLog(directory: string): void {
  const file = functionLogFile(directory);
  if (!existsSync(file)) return;
  expectCleanLines(readFileSync(file, "utf8").split("\n").filter(Boolean));
}
