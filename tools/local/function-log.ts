import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { StackEvent } from "./stack/functions/stack-event.ts";

/** At this size the file is rotated, so that the two files never fill the disk. */
const mostBytes = 32 * 1024 * 1024;

/** Stores the functions' log lines, as CloudWatch does for a deployed stack. Operations count and search them. */
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
