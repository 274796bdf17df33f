import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { readCallbackKeys } from "../../shared/keys/merchant-keys.ts";
import { readCommand } from "../../simulator/command-line.ts";
import { openCallback, textOf } from "../builders/callback.ts";
import { startReceiver } from "./callback-receiver.ts";

const folder = mkdtempSync(join(tmpdir(), "simulator-command-"));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Finished {
  code: number | null;
  output: string;
}

function start(...args: string[]): {
  child: ChildProcess;
  output: () => string;
  ended: Promise<Finished>;
} {
  const child = spawn(process.execPath, ["--import", "tsx", "simulator/main.ts", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<Finished>((resolve) =>
    child.on("close", (code) => resolve({ code, output })),
  );
  return { child, output: () => output, ended };
}

async function addressOf(output: () => string): Promise<string> {
  await expect.poll(output, { timeout: 20_000 }).toMatch(/simulator: http:\/\/127\.0\.0\.1:\d+\n/);
  return /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0] ?? "";
}

async function json(url: string, body?: object): Promise<Record<string, unknown>> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  return (await (await fetch(url, init)).json()) as Record<string, unknown>;
}

describe("npm run simulator", () => {
  test("explains itself with --help", async () => {
    const { code, output } = await start("--help").ended;
    expect(code).toBe(0);
    for (const word of ["--port", "--callback-url", "--keys", "/control/faults", "send-twice"]) {
      expect(output).toContain(word);
    }
  });

  test("alone, with keys of its own making, sends callbacks that the documented secret opens", async () => {
    const receiver = await startReceiver();
    const keys = join(folder, "made");
    const { child, output, ended } = start(
      ...[
        "--port",
        "0",
        "--keys-folder",
        keys,
        "--callback-url",
        receiver.url,
        "--clock-speed",
        "100",
      ],
    );
    const url = await addressOf(output);
    expect(output()).toContain(keys);
    const { paymentId } = await json(`${url}/control/orders`, { amount: "9.90", orderNo: "ALONE" });
    await json(`${url}/control/orders/${paymentId}/pay`, {});
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(2);
    const home = join(keys, "test-merchant-0001");
    const text = readFileSync(join(home, "callback-keys.json"), "utf8");
    const secret = readCallbackKeys({ versionId: "v", createdAtMilliseconds: 0, text });
    const opened = openCallback(
      Buffer.from(receiver.received[1]?.body ?? ""),
      () => [{ versionId: "v", stage: "current", keys: secret }],
      {
        nowMilliseconds: Date.now(),
        maximumAgeMilliseconds: 60_000,
        maximumAheadMilliseconds: 60_000,
      },
    );
    expect(textOf(opened).result).toMatchObject({
      referOrderNo: "ALONE",
      status: "success",
      paymentAmount: 9.9,
    });
    expect(statSync(join(home, "request-keys.json")).mode & 0o077).toBe(0);
    child.kill("SIGINT");
    expect((await ended).code).toBe(0);
    await receiver.stop();
  });

  test("keeps its keys from one start to the next, rotated ones too", async () => {
    const keys = join(folder, "kept");
    const first = start("--port", "0", "--keys-folder", keys, "--merchant", "m-1");
    const rotated = await json(`${await addressOf(first.output)}/control/rotate`, {});
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const before = readFileSync(join(keys, "m-1", "simulator.json"), "utf8");
    const second = start("--port", "0", "--keys", join(keys, "m-1", "simulator.json"));
    await addressOf(second.output);
    expect(second.output()).toContain("Merchants: m-1");
    expect(JSON.parse(before)).toMatchObject({
      aesKey: (rotated["callbackKeys"] as { aesKey: string }).aesKey,
    });
    const request = JSON.parse(readFileSync(join(keys, "m-1", "request-keys.json"), "utf8"));
    expect(request).toMatchObject({ merchantPrivateKey: expect.stringContaining("PRIVATE KEY") });
  });

  test("ends with a sentence, not a stack, when a flag is wrong", async () => {
    const { code, output } = await start("--prot", "1").ended;
    expect(code).toBe(1);
    expect(output).toContain("--prot");
    expect(output).not.toMatch(/^\s+at /m);
  });

  test("names the field of a keys file that is wrong, and never its value", async () => {
    const path = join(folder, "wrong.json");
    writeFileSync(
      path,
      JSON.stringify({ merchantId: "m", aesKey: "", servicePrivateKey: "s3cret" }),
    );
    const { code, output } = await start("--keys", path).ended;
    expect(code).toBe(1);
    expect(output).toContain("merchantPublicKey");
    expect(output).not.toContain("s3cret");
  });

  test("says what to do when the port is taken", async () => {
    const receiver = await startReceiver();
    const port = new URL(receiver.url).port;
    const { code, output } = await start("--port", port, "--keys-folder", join(folder, "made"))
      .ended;
    expect(code).toBe(1);
    expect(output).toContain("choose another with --port");
    await receiver.stop();
  });
});

describe("a flag", () => {
  test.each([
    ["--port must be", ["--port", "x"]],
    ["--port must be", ["--port", "65536"]],
    ["--clock-speed must be", ["--clock-speed=-1"]],
    ["--callback-url must be", ["--callback-url", "ftp://x"]],
    ["--checkout-base-url must be", ["--checkout-base-url", "here"]],
    ["--merchant must be", ["--merchant", "../up"]],
    ["--retries must be one of", ["--retries", "never"]],
    ["--repeated-order-no must be one of", ["--repeated-order-no", "maybe"]],
  ])("that is wrong is told: %s (%o)", (said, args) => {
    expect(() => readCommand(args, {})).toThrow(said);
  });

  test("for the clock's speed goes before the environment", () => {
    expect(readCommand([], {}).clockSpeed).toBe(1);
    expect(readCommand([], { PAYCAST_CLOCK_SPEED: "60" }).clockSpeed).toBe(60);
    expect(readCommand(["--clock-speed", "5"], { PAYCAST_CLOCK_SPEED: "60" }).clockSpeed).toBe(5);
  });
});
