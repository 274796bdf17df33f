import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";

const module = new URL("../../local/stop-on-signal.ts", import.meta.url).href;

let child: ChildProcess | undefined;
afterEach(() => void child?.kill("SIGKILL"));

/** A process whose parts need this long to stop. It gets real signals. */
async function startProcess(stopMilliseconds: number, keepData: boolean) {
  const script = `
    import { stopOnSignal } from "${module}";
    const stop = async () => {
      await new Promise((resolve) => setTimeout(resolve, ${stopMilliseconds}));
      console.log("written");
    };
    stopOnSignal({ stop, hasDataToKeep: () => ${keepData}, print: console.log });
    setInterval(() => undefined, 1_000);
    console.log("up");`;
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  let output = "";
  started.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(started, "close").then(([code]) => ({ code, output }));
  const says = (text: string) => expect.poll(() => output, { timeout: 30_000 }).toContain(text);
  await says("up");
  return { interrupt: () => void started.kill("SIGINT"), says, ended };
}

test("with --keep, stopping takes the time that writing needs, and says so", async () => {
  const { interrupt, says, ended } = await startProcess(4_000, true);
  interrupt();
  await says("Orders, messages and secrets are being written");
  expect(await ended).toMatchObject({ code: 0, output: expect.stringContaining("written\n") });
});

test("one Ctrl-C that comes twice, from the terminal and from npm, is one", async () => {
  const { interrupt, ended } = await startProcess(1_500, true);
  interrupt();
  await pause(20);
  interrupt();
  expect(await ended).toMatchObject({ code: 0, output: expect.stringMatching(/\nwritten\n$/) });
});

test("a second Ctrl-C ends it at once, and says what is missing", async () => {
  const { interrupt, says, ended } = await startProcess(50_000, true);
  interrupt();
  await says("Ctrl-C again ends at once");
  await pause(1_500);
  interrupt();
  const { code, output } = await ended;
  expect(code).toBe(1);
  expect(output).toMatch(/Ended before everything was written.+\n$/);
});

test("without --keep nothing is worth waiting for", async () => {
  const { interrupt, ended } = await startProcess(50_000, false);
  interrupt();
  expect(await ended).toEqual({ code: 1, output: "up\n" });
});
