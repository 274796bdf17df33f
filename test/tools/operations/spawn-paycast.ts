import { type ChildProcess, spawn } from "node:child_process";
import { buffer, text } from "node:stream/consumers";
import { command } from "../../setup/command.ts";

export interface SpawnedRun {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

/** The command in a process of its own, on the stack that `directory` describes. */
export function spawnPaycast(
  directory: string,
  ...args: string[]
): { readonly child: ChildProcess; readonly ended: Promise<SpawnedRun> } {
  const env = { ...process.env, PAYCAST_DIRECTORY: directory };
  const child = spawn(process.execPath, [command, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  const ended = Promise.all([buffer(child.stdout), text(child.stderr), closed]).then(
    ([out, err, code]) => ({ code, out, err }),
  );
  return { child, ended };
}
