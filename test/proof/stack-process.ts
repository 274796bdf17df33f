import { fork } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  functionLogFile,
  type LocalDescription,
} from "../../tools/operations/target/local-target.ts";
import type { StackSettings } from "./stack.ts";
import type { StackRequest } from "./stack-child.ts";

export interface StackProcess {
  readonly description: () => LocalDescription;
  readonly pid: () => number;
  /** One busy instance of this function ends. */
  readonly crash: (functionName: string) => void;
  /** Moves the clock of the functions and schedules by this many milliseconds. `moved` runs when it has moved. */
  readonly jump: (milliseconds: number, moved: () => void) => Promise<void>;
  /** Ends it with SIGKILL, and starts it again on what the emulators have. */
  readonly killAndStart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** `aheadMilliseconds` is asked for at each start. */
export async function startStackProcess(
  settings: StackSettings,
  aheadMilliseconds: () => number = () => 0,
): Promise<StackProcess> {
  const log = functionLogFile(settings.directory);
  const script = new URL("stack-child.ts", import.meta.url);
  const start = () => {
    const now = { ...settings, aheadMilliseconds: aheadMilliseconds() };
    return startChild<LocalDescription>(script, now, log);
  };
  let running = await start();
  return {
    description: () => running.answer,
    pid: () => running.pid,
    crash: (functionName) => running.send({ crash: functionName }),
    jump: (milliseconds, moved) => running.jump(milliseconds, moved),
    killAndStart: async () => {
      await running.kill();
      running = await start();
    },
    stop: () => running.kill(),
  };
}

/** Runs a script in its own process, with these settings as the first message, and waits for its reply. */
export async function startChild<Answer>(script: URL, settings: object, log: string) {
  const output = openSync(log, "a");
  const child = fork(fileURLToPath(script), {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", output, output, "ipc"],
  });
  const exited = once(child, "exit");
  child.send(settings);
  const failed = exited.then(([code]): never => {
    throw new Error(`${script} ended with ${code} before it answered. See ${log}.`);
  });
  const [answer] = await Promise.race([once(child, "message"), failed]);
  failed.catch(() => {});
  return {
    answer: answer as Answer,
    pid: child.pid ?? 0,
    send: (request: StackRequest) => void (child.connected && child.send(request)),
    jump: async (milliseconds: number, moved: () => void) => {
      child.once("message", moved);
      child.send({ jump: milliseconds } satisfies StackRequest);
      await Promise.race([once(child, "message"), exited]);
      await Promise.race([once(child, "message"), exited]);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
