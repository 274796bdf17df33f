import { once } from "node:events";
import {
  functionLogFile,
  type LocalDescription,
} from "../../tools/operations/local-stack/local-description.ts";
import { startChild } from "../setup/start-child.ts";
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
  const send = (request: StackRequest) => {
    if (running.child.connected) running.child.send(request);
  };
  return {
    description: () => running.answer,
    pid: () => running.child.pid ?? 0,
    crash: (functionName) => send({ crash: functionName }),
    jump: async (milliseconds, moved) => {
      const { child, exited } = running;
      child.once("message", moved);
      child.send({ jump: milliseconds } satisfies StackRequest);
      await Promise.race([once(child, "message"), exited]);
      await Promise.race([once(child, "message"), exited]);
    },
    killAndStart: async () => {
      await running.kill();
      running = await start();
    },
    stop: () => running.kill(),
  };
}
