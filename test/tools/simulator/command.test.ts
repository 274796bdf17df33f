import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { readCallbackKeys } from "../../../shared/keys/keys-in-secret.ts";
import { readCommand } from "../../../tools/simulator/command-line.ts";
import { openCallback, textOf } from "../../builders/callback.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { inOneFile } from "../../setup/one-file.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { watchOutput } from "../../setup/watch-output.ts";
import { startReceiver } from "./callback-receiver.ts";

const folder = temporaryFolder("simulator");
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

let program: string;
beforeAll(async () => {
  program = await inOneFile("tools/simulator/main.ts");
});

const start = (...args: string[]) => startNode(program, ...args);

function startNode(...args: string[]) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  const { output, ended } = watchOutput(child);
  return { child, output, ended: ended.then((code) => ({ code, output: output() })) };
}

async function addressOf(output: () => string): Promise<string> {
  // It loads its sources and makes keys first, which takes long on a busy machine.
  return await until("the simulator's address", () => {
    return /simulator: (http:\/\/127\.0\.0\.1:\d+)\n/.exec(output())?.[1];
  });
}

async function post(url: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  return (await response.json()) as Record<string, unknown>;
}

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));

describe("npm run simulator", () => {
  test("explains itself with --help", async () => {
    const { code, output } = await startNode("--import", "tsx", "tools/simulator/main.ts", "--help")
      .ended;
    expect(code).toBe(0);
    for (const word of ["--port", "--callback-url", "--keys", "/control/faults", "send-twice"]) {
      expect(output).toContain(word);
    }
  });

  test("makes keys, and sends callbacks that the documented secret opens", async () => {
    const receiver = await startReceiver();
    const keys = join(folder, "made");
    const flags = ["--port", "0", "--keys-folder", keys, "--clock-speed", "100"];
    const { child, output, ended } = start(...flags, "--callback-url", receiver.url);
    const orders = `${await addressOf(output)}/control/orders`;
    const { paymentId } = await post(orders, { amount: "9.90", orderNo: "ALONE" });
    await post(`${orders}/${paymentId}/pay`, {});
    await expect.poll(() => receiver.received.length).toBe(2);
    const home = join(keys, "test-merchant-0001");
    const text = readFileSync(join(home, "callback-keys.json"), "utf8");
    const secret = readCallbackKeys({ text });
    const opened = receiver.received.map(({ body }) =>
      openCallback(Buffer.from(body), () => [{ versionId: "v", stage: "current", keys: secret }], {
        nowMilliseconds: Date.now(),
        maximumAgeMilliseconds: 60_000,
        maximumAheadMilliseconds: 60_000,
      }),
    );
    // At this speed they are sent at almost the same time, and may arrive in either order.
    const results = opened.map((callback) => textOf(callback).result);
    const result = { referOrderNo: "ALONE", paymentAmount: 9.9 };
    for (const status of ["confirming", "success"]) {
      expect(results).toContainEqual(expect.objectContaining({ ...result, status }));
    }
    expect(statSync(join(home, "request-keys.json")).mode & 0o077).toBe(0);
    child.kill("SIGINT");
    expect((await ended).code).toBe(0);
    await receiver.stop();
  });

  test("keeps its keys from one start to the next, rotated ones too, and orders in a file if asked", async () => {
    const keys = join(folder, "kept");
    const always = ["--port", "0", "--orders-file", join(folder, "orders")];
    const first = start(...always, "--keys-folder", keys, "--merchant", "m-1");
    const control = `${await addressOf(first.output)}/control`;
    const rotated = await post(`${control}/rotate`, {});
    await post(`${control}/orders`, { orderNo: "KEPT" });
    first.child.kill("SIGTERM");
    expect((await first.ended).code).toBe(0);
    const { aesKey } = rotated["callbackKeys"] as { aesKey: string };
    expect(readJson(keys, "m-1", "simulator.json")).toMatchObject({ aesKey });
    const merchantPrivateKey = expect.stringContaining("PRIVATE KEY");
    expect(readJson(keys, "m-1", "request-keys.json")).toMatchObject({ merchantPrivateKey });
    const second = start(...always, "--keys", join(keys, "m-1", "simulator.json"));
    const response = await fetch(`${await addressOf(second.output)}/control/orders`);
    expect(await response.json()).toMatchObject({
      orders: [{ orderNo: "KEPT", merchantId: "m-1" }],
    });
  });

  test("names the wrong field of a keys file and never its value, without a stack trace", async () => {
    const path = join(folder, "wrong.json");
    const keys = { merchantId: "m", aesKey: "", servicePrivateKey: "s3cret" };
    writeFileSync(path, JSON.stringify(keys));
    const { code, output } = await start("--keys", path).ended;
    expect(code).toBe(1);
    expect(output).toContain("merchantPublicKey");
    expect(output).not.toMatch(/s3cret|^\s+at /m);
  });

  test("says what to do when the port is taken", async () => {
    const receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const started = start("--port", port, "--keys-folder", join(folder, "made"));
    const { code, output } = await started.ended;
    expect([code, output]).toEqual([1, expect.stringContaining("Choose another one with --port")]);
    await receiver.stop();
  });
});

test.each([
  ["'--prot'. For help: npm run simulator -- --help", ["--prot", "1"]],
  ["--port must be", ["--port", "65536"]],
  ["--clock-speed must be", ["--clock-speed=-1"]],
  ["--callback-url must be", ["--callback-url", "ftp://x"]],
  ["--merchant must be", ["--merchant", "../up"]],
  ["--retries must be one of", ["--retries", "never"]],
])("a wrong flag is refused: %s (%o)", (reason, args) => {
  expect(() => readCommand(args, {})).toThrow(reason);
});

test("the flag for the clock's speed wins over the environment", () => {
  const environment = { PAYCAST_CLOCK_SPEED: "60" };
  expect(readCommand([], {}).clockSpeed).toBe(1);
  expect(readCommand([], environment).clockSpeed).toBe(60);
  expect(readCommand(["--clock-speed", "5"], environment).clockSpeed).toBe(5);
});
