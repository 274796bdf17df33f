import type { LookOptions } from "../../operations/quarantine/find-quarantined.ts";
import type { Terminal } from "../frame/command.ts";
import { createProgress } from "../frame/progress.ts";

/** Runs work that goes through a queue, with a line of progress, and so that Ctrl-C ends it in order. */
export async function walking<T>(
  terminal: Terminal,
  doing: string,
  work: (options: LookOptions) => Promise<T>,
): Promise<T> {
  const progress = createProgress(terminal);
  const onProgress = (count: number) => progress.tell(`${doing}: ${count}`);
  const onRecords = (count: number) => progress.tell(`Looking at recorded events: ${count}`);
  try {
    return await work({ stopped: terminal.stopped, onProgress, onRecords });
  } finally {
    progress.end();
  }
}

/** The same for work that only looks. Undefined if the user stopped it before it had seen everything it needs. */
export async function looking<T>(
  terminal: Terminal,
  work: (options: LookOptions) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await walking(terminal, "Looking at dead letters", work);
  } catch (error) {
    if (!terminal.stopped.aborted) throw error;
    terminal.err("Stopped while looking. Nothing was changed.\n");
    return undefined;
  }
}

/** Says what was done before an error, then lets the error be told. */
export function failAfter(terminal: Terminal, failure: unknown, done: string): never {
  terminal.err(`${done} Then it failed. Run the same command again to go on.\n`);
  throw failure;
}

/** Below every list: what looking does. */
export const lookingCounts =
  "Looking counts as a receive. SQS leaves messages that were received often out of its age metric.\n";
