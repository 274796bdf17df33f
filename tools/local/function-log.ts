import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { StackEvent } from "./stack/functions/stack-event.ts";

/** Then the file is put aside and a new one begins, so that the two never fill a disk. */
const mostBytes = 32 * 1024 * 1024;

/** Keeps what the functions log, as CloudWatch does for a deployed stack: operations count and search in it. */
export function createFunctionLog(file: string, isKept: boolean): (event: StackEvent) => void {
  mkdirSync(dirname(file), { recursive: true });
  if (!isKept) for (const old of [file, asideOf(file)]) rmSync(old, { force: true });
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return (event) => {
    if (event.kind !== "output") return;
    if (size > mostBytes) {
      renameSync(file, asideOf(file));
      size = 0;
    }
    const line = `${event.line}\n`;
    appendFileSync(file, line);
    size += Buffer.byteLength(line);
  };
}

function asideOf(file: string): string {
  return `${file}.1`;
}
