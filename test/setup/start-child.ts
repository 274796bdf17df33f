import { fork } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Runs a script in its own process, with these settings as the first message, and waits for its reply. What it prints
 * goes to the file `log`. Without one, only its errors are shown.
 */
export async function startChild<Answer>(script: URL, settings: object, log?: string) {
  const output = log === undefined ? undefined : openSync(log, "a");
  const child = fork(fileURLToPath(script), {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", output ?? "ignore", output ?? "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  child.send(settings);
  const failed = exited.then(([code]): never => {
    const advice = log === undefined ? "" : ` See ${log}.`;
    throw new Error(`${script} ended with ${code} before it answered.${advice}`);
  });
  failed.catch(() => {});
  const reply = async () => (await Promise.race([once(child, "message"), failed]))[0];
  return {
    answer: (await reply()) as Answer,
    child,
    exited,
    /** Sends a message and waits for the reply. */
    ask: async (message: string) => {
      child.send(message);
      return await reply();
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
