import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LocalDescription } from "../../../operations/target/local-description.ts";
import type { Endpoints } from "../../integration/fault-proxy.ts";

export interface ChildSettings {
  readonly template: unknown;
  readonly assetDirectory: string;
  readonly emulators: Endpoints;
  readonly functionEndpoints: Endpoints;
  readonly port: number;
  /** The address that the config names, and where the simulator is instead. */
  readonly gateway: string;
  readonly simulator: string;
  readonly merchantIds: readonly string[];
  readonly directory: string;
}

export interface FromChild {
  readonly description: LocalDescription;
}

export interface ToChild {
  /** The function of which one busy instance ends. */
  readonly crash: string;
}

export interface StackProcess {
  readonly description: () => LocalDescription;
  readonly pid: () => number;
  readonly crash: (functionName: string) => void;
  /** Ends it with SIGKILL, and starts it again on what the emulators have. */
  readonly killAndStart: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

const childFile = fileURLToPath(new URL("stack-child.ts", import.meta.url));

export async function startStackProcess(settings: ChildSettings): Promise<StackProcess> {
  const settingsFile = join(settings.directory, "stack.json");
  writeFileSync(settingsFile, JSON.stringify(settings));
  const log = createWriteStream(join(settings.directory, "functions.log"), { flags: "a" });
  const start = async () => {
    const child = fork(childFile, [settingsFile], {
      execArgv: ["--import", "tsx"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    child.stdout?.pipe(log, { end: false });
    child.stderr?.pipe(log, { end: false });
    const ended = once(child, "exit").then(([code]) => {
      throw new Error(`The stack ended with ${code} before it ran. See ${log.path}.`);
    });
    const message = once(child, "message").then(([ready]: FromChild[]) => ready);
    const ready = await Promise.race([message, ended]);
    ended.catch(() => {});
    if (ready === undefined) throw new Error("The stack did not describe itself.");
    return { child, description: ready.description };
  };
  let running = await start();
  const end = async () => {
    const exited = once(running.child, "exit");
    running.child.kill("SIGKILL");
    await exited;
  };
  return {
    description: () => running.description,
    pid: () => running.child.pid ?? 0,
    crash: (functionName) => send(running.child, { crash: functionName }),
    killAndStart: async () => {
      await end();
      running = await start();
    },
    stop: end,
  };
}

function send(child: ChildProcess, message: ToChild): void {
  if (child.connected) child.send(message);
}
