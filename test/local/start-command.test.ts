import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listenOnLoopback } from "../../local/aws/listen-on-loopback.ts";

/** Synthesizing and making keys are slow on a busy machine. */
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
  return { ended, output: () => output };
}

test.each([0, 1, 4])(
  "a port that is taken (PORT+%i) is an error that says what to do, before anything slow starts",
  async (above) => {
    const other = await listenOnLoopback(createServer());
    const taken = Number(new URL(other.endpoint).port);
    const { ended, output } = run({ PORT: String(taken - above) });
    expect(await ended).toBe(1);
    expect(output()).toContain(
      `Port ${taken} cannot be used: another program has it. Choose another port, for example: PORT=4000 npm start`,
    );
    await other.stop();
  },
  slow,
);

test("--help shows the options", async () => {
  const { ended, output } = run({}, "--help");
  expect(await ended).toBe(0);
  for (const option of ["--keep", "--watch", "PORT"]) expect(output()).toContain(option);
});

test.each([
  [["--kep"], {}, "--kep"],
  [[], { PORT: "many" }, "PORT cannot be many."],
  [[], { PAYCAST_CONFIG: "no-such.json" }, "no-such.json"],
  [[], { PAYCAST_DYNAMODB_ENDPOINT: "http://127.0.0.1:1" }, "nothing answers there"],
])(
  "%j with %j is refused with a message and no stack trace",
  async (flags, environment, sentence) => {
    const { ended, output } = run({ PORT: "0", ...environment }, ...flags);
    expect(await ended).toBe(1);
    expect(output()).toContain(sentence);
    expect(output()).not.toContain("    at ");
  },
);
