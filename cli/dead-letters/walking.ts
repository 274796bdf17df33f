import type { WalkOptions } from "../../operations/dead-letters/walk-queue.ts";
import type { Terminal } from "../frame/command.ts";
import { createProgress } from "../frame/progress.ts";

/** Runs work that goes through a queue, with a line of progress, and so that Ctrl-C ends it in order. */
export async function walking<T>(
  terminal: Terminal,
  doing: string,
  work: (options: WalkOptions) => Promise<T>,
): Promise<T> {
  const progress = createProgress(terminal);
  const onProgress = (count: number) => progress.tell(`${doing}: ${count}`);
  try {
    return await work({ stopped: terminal.stopped, onProgress });
  } finally {
    progress.end();
  }
}

/** Says what was done before an error, then lets the error be told. */
export function failAfter(terminal: Terminal, failure: unknown, done: string): never {
  terminal.err(`${done} Then it failed. Run the same command again to go on.\n`);
  throw failure;
}

/** "1 message", "3 messages". */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** Below every list: what looking does. */
export const lookingCounts =
  "Looking counts as a receive. SQS leaves messages that were received often out of its age metric.\n";
