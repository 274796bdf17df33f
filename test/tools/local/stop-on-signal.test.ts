import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeAll, expect, test } from "vitest";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { explainStartError } from "../../../tools/local/explain-start-error.ts";
import { inOneFile } from "../../setup/one-file.ts";
import { watchOutput } from "../../setup/watch-output.ts";

let module: string;
beforeAll(async () => {
  module = await inOneFile("tools/local/stop-on-signal.ts");
});

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
  const args = ["--input-type=module", "-e", script];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  const { output, ended } = watchOutput(started);
  const says = (text: string) => expect.poll(output, { timeout: 30_000 }).toContain(text);
  await says("up");
  return {
    interrupt: () => void started.kill("SIGINT"),
    says,
    ended: ended.then((code) => ({ code, output: output() })),
  };
}

test("with --keep, stopping takes the time that writing needs, and says so", async () => {
  const { interrupt, says, ended } = await startProcess(2_500, true);
  interrupt();
  await says("Writing orders, messages and secrets");
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
  await says("Ctrl-C again stops immediately");
  await pause(1_500);
  interrupt();
  const { code, output } = await ended;
  expect(code).toBe(1);
  expect(output).toMatch(/Stopped before everything was written.+\n$/);
});

test("without --keep nothing is worth waiting for", async () => {
  const { interrupt, ended } = await startProcess(50_000, false);
  interrupt();
  expect(await ended).toEqual({ code: 1, output: "up\n" });
});

test("an error of Paycast has a message for the user, any other is a bug with a stack trace", () => {
  expect(explainStartError(new PaycastError("config-invalid", "say what"))).toBe("say what");
  expect(explainStartError(new TypeError("no function"))).toBeUndefined();
});

test("a port that is taken after the check is explained, too", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const [error] = await once(createServer().listen(port, "127.0.0.1"), "error");
  expect(explainStartError(error)).toBe(
    `Another program has just taken port ${port}. Start again.`,
  );
  server.close();
});
