import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenOnLoopback } from "../../local/aws/listen-on-loopback.ts";
import type { StackDescription } from "../../local/describe-stack.ts";

/** Synthesizing and key generation take their time on a busy machine. */
const slow = 180_000;

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "paycast-start-"));
});
afterEach(() => {
  const isRunning = child?.exitCode === null && child.signalCode === null;
  if (isRunning) process.kill(-child!.pid!, "SIGKILL");
  rmSync(folder, { recursive: true });
});

/** As a terminal would run it: in a process group of its own, which Ctrl-C reaches as a whole. */
function run(environment: Record<string, string>, ...flags: string[]) {
  const started = spawn("npm", ["start", "--silent", "--", ...flags], {
    env: { ...process.env, PAYCAST_DIRECTORY: folder, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  child = started;
  let output = "";
  for (const stream of [started.stdout, started.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<number | null>((resolve) => started.once("exit", resolve));
  return { pid: started.pid!, ended, output: () => output };
}

test(
  "npm start tells its addresses when it is ready, and Ctrl-C leaves nothing behind",
  async () => {
    const { pid, ended, output } = run({ PORT: "0" });
    const file = join(folder, "local.json");
    await expect.poll(() => existsSync(file), { timeout: slow, interval: 100 }).toBe(true);
    const { api, gateway, aws }: StackDescription = JSON.parse(readFileSync(file, "utf8"));
    await expect.poll(output).toContain(`Storefront API     ${api}`);
    expect(output()).toContain(`Payment service    ${gateway}`);
    process.kill(-pid, "SIGINT");
    await ended;
    expect(existsSync(file)).toBe(false);
    for (const address of [api, gateway, ...Object.values(aws)]) {
      await expect(fetch(address)).rejects.toThrow();
    }
  },
  slow,
);

test.each([0, 1])(
  "a port that is taken is told with what to do, before anything else is started (%i above)",
  async (above) => {
    const other = await listenOnLoopback(createServer());
    const taken = Number(new URL(other.endpoint).port);
    const { ended, output } = run({ PORT: String(taken - above) });
    expect(await ended).toBe(1);
    expect(output()).toContain(
      `Port ${taken} cannot be used: another program has it. Choose others, like PORT=4000 npm start.`,
    );
    await other.stop();
  },
  slow,
);

test("--help tells all options", async () => {
  const { ended, output } = run({}, "--help");
  expect(await ended).toBe(0);
  for (const option of [
    "--keep",
    "--watch",
    "--verbose",
    "--config",
    "PORT",
    "PAYCAST_CLOCK_SPEED",
  ]) {
    expect(output()).toContain(option);
  }
});

test.each([
  [["--kep"], {}, "--kep"],
  [[], { PORT: "many" }, "PORT cannot be many."],
  [[], { PAYCAST_CONFIG: "no-such.json" }, "no-such.json"],
  [[], { PAYCAST_DYNAMODB_ENDPOINT: "http://127.0.0.1:1" }, "nothing answers there"],
])("%j with %j is refused with a sentence", async (flags, environment, sentence) => {
  const { ended, output } = run({ PORT: "0", ...environment }, ...flags);
  expect(await ended).toBe(1);
  expect(output()).toContain(sentence);
  expect(output()).not.toContain("    at ");
});
