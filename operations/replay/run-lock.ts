import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PaycastError } from "../../shared/paycast-error.ts";

/**
 * Lets one process at a time send a run: two would overtake each other within an aggregate. A process that was killed
 * leaves its lock, which the next one removes. Throws `replay-not-resumable`.
 */
export async function withRunLock<T>(
  directory: string,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const path = join(directory, `${id}.lock`);
  if (!(await isTaken(path))) await rm(path, { force: true });
  await writeFile(path, String(process.pid), { flag: "wx" }).catch((error: unknown) => {
    const message = `Another process sends this run. If none does, delete ${path}.`;
    throw new PaycastError("replay-not-resumable", message, { cause: error });
  });
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function isTaken(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text !== undefined && isAlive(Number(text));
}

/** Signal 0 only asks. Another user's process may not be asked, but it lives. */
function isAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
