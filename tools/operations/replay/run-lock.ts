import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PaycastError } from "../../../shared/paycast-error.ts";

/**
 * Lets one process at a time send a run: two would overtake each other within an aggregate. A process that was killed
 * leaves its lock, which the next one takes over. Throws `replay-not-resumable`. Another run to the same queue is not
 * held up.
 */
export async function withRunLock<T>(
  directory: string,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const path = lockFile(directory, id);
  if (!((await createFile(path)) || (await takeOver(path)))) throw taken(path);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

/** Whether a process sends the run now: this one, or another in the same folder. */
export async function isBeingSent(directory: string, id: string): Promise<boolean> {
  const path = lockFile(directory, id);
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text !== undefined && !(await isDead(path));
}

function lockFile(directory: string, id: string): string {
  return join(directory, `${id}.lock`);
}

/**
 * Only one process at a time may replace a dead lock. A second one that also saw the dead lock would otherwise replace
 * the new lock of the first. So it looks again when it is the only one.
 */
async function takeOver(path: string): Promise<boolean> {
  const guard = guardOf(path);
  if (!(await isDead(path)) || !(await createFile(guard))) return false;
  try {
    if (!(await isDead(path))) return false;
    await withNewFile(path, (file) => rename(file, path));
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

function guardOf(path: string): string {
  return `${path}.takeover`;
}

/** False if the file exists. A link makes the name and the content visible together, so a lock is never empty. */
async function createFile(path: string): Promise<boolean> {
  try {
    await withNewFile(path, (file) => link(file, path));
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** A file of this process alone that holds its process id. */
async function withNewFile(path: string, use: (file: string) => Promise<void>): Promise<void> {
  const file = `${path}.${randomUUID()}`;
  try {
    await writeFile(file, String(process.pid), { flag: "wx", mode: 0o600 });
    await use(file);
  } finally {
    await rm(file, { force: true });
  }
}

/** A lock that cannot be read, or names no process, is not known to be dead. */
async function isDead(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return /^[1-9]\d*$/.test(text) && !isAlive(Number(text));
}

/** Signal 0 only asks. Another user's process may not be asked, but it lives. */
function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function taken(path: string): PaycastError {
  return new PaycastError(
    "replay-not-resumable",
    `Another process sends this run. If none does, delete ${path} and, if it exists, ${guardOf(path)}.`,
  );
}
