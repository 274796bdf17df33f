import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type RunningFunction,
  reloadOnChange,
  runFunction,
} from "../../local/stack/run-function.ts";
import type { StackEvent } from "../../local/stack/stack-event.ts";

let folder: string;
let events: StackEvent[];
let running: RunningFunction | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "paycast-function-"));
  events = [];
});
afterEach(async () => {
  await running?.stop();
  rmSync(folder, { recursive: true });
});

const write = (code: string) => writeFileSync(join(folder, "index.mjs"), code);

function run(code: string, settings: { timeoutSeconds?: number; maxInstances?: number } = {}) {
  write(code);
  const definition = {
    logicalId: "Fn",
    path: "Stack/Fn",
    name: "fn",
    label: "fn",
    arn: "arn:aws:lambda:us-east-1:000000000000:function:fn",
    codeDirectory: folder,
    handler: "index.handler",
    timeoutSeconds: 5,
    memoryMegabytes: 128,
    maxInstances: 2,
    environment: { GREETING: "hello", TZ: "UTC" },
    ...settings,
  };
  const endpoints = { sqs: "http://q", dynamodb: "http://d", secretsmanager: "http://s" };
  running = runFunction(definition, endpoints, (event) => events.push(event));
  return running;
}

async function result(fn: RunningFunction, event: unknown = {}) {
  const invoked = await fn.invoke(event);
  return invoked.ok ? JSON.parse(invoked.json) : { failed: invoked.reason };
}

describe("a function", () => {
  test("gets its event and Lambda's context, and its result comes back", async () => {
    const fn = run(`export const handler = async (event, context) => ({
      event,
      name: context.functionName,
      requestId: context.awsRequestId,
      remaining: context.getRemainingTimeInMillis(),
    });`);
    const answer = await result(fn, { a: [1, null] });
    expect(answer).toMatchObject({ event: { a: [1, null] }, name: "fn" });
    expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.remaining).toBeGreaterThan(4_000);
    expect(answer.remaining).toBeLessThanOrEqual(5_000);
  });

  test("has the environment of the template and of Lambda, and nothing of this machine's", async () => {
    process.env["PAYCAST_TEST_ONLY"] = "leaked";
    const fn = run("export const handler = async () => process.env;");
    const environment = await result(fn);
    delete process.env["PAYCAST_TEST_ONLY"];
    expect(environment).toMatchObject({
      GREETING: "hello",
      AWS_REGION: "us-east-1",
      AWS_LAMBDA_FUNCTION_NAME: "fn",
      AWS_ENDPOINT_URL_SQS: "http://q",
      AWS_ENDPOINT_URL_DYNAMODB: "http://d",
      AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://s",
      AWS_ACCESS_KEY_ID: "local",
    });
    expect(environment).not.toHaveProperty("PAYCAST_TEST_ONLY");
    expect(environment).not.toHaveProperty("HOME");
  });

  test("keeps its state between events, which come one at a time to an instance", async () => {
    const fn = run(
      `let seen = 0; let busy = false;
      export const handler = async () => {
        const overlapped = busy;
        busy = true;
        await new Promise((resolve) => setTimeout(resolve, 20));
        busy = false;
        seen += 1;
        return { seen, overlapped };
      };`,
      { maxInstances: 2 },
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => result(fn)));
    expect(answers.some(({ overlapped }) => overlapped)).toBe(false);
    const firsts = answers.filter(({ seen }) => seen === 1);
    expect(firsts).toHaveLength(2);
  });

  test("that throws has failed, and goes on with the next event in the same instance", async () => {
    const fn = run(`let seen = 0;
      export const handler = async (event) => {
        seen += 1;
        if (event.bad) throw new TypeError("no good");
        return seen;
      };`);
    expect(await result(fn, { bad: true })).toEqual({ failed: expect.stringContaining("no good") });
    expect(await result(fn)).toBe(2);
    expect(events).toContainEqual(expect.objectContaining({ kind: "failure", functionName: "fn" }));
  });

  test("that takes too long is ended, even in an endless loop, and starts anew", async () => {
    const fn = run(
      `let seen = 0;
      export const handler = async (event) => {
        seen += 1;
        while (event.loop);
        return seen;
      };`,
      { timeoutSeconds: 1 },
    );
    expect(await result(fn)).toBe(1);
    expect(await result(fn, { loop: true })).toEqual({ failed: "timed out after 1 seconds" });
    expect(await result(fn)).toBe(1);
  });

  test.each([
    ["exits", "process.exit(3)", /exited with 3/],
    ["throws outside of any promise", "setTimeout(() => { throw new Error('boom') }, 1)", /boom/],
    ["leaves a rejection unhandled", "Promise.reject(new Error('boom'))", /boom/],
  ])("that %s has failed and is started again", async (_name, code, reason) => {
    const fn = run(`export const handler = async (event) => {
      if (event.bad) { ${code}; await new Promise(() => {}); }
      return "well";
    };`);
    expect(await result(fn, { bad: true })).toEqual({ failed: expect.stringMatching(reason) });
    expect(await result(fn)).toBe("well");
  });

  test("that crashes between two events is started again", async () => {
    const fn = run(`const id = Math.random();
    export const handler = async (event) => {
      if (event.bad) setTimeout(() => process.exit(1), 1);
      return id;
    };`);
    const crashed = await result(fn, { bad: true });
    const next = async () => {
      const answer = await result(fn);
      return typeof answer === "number" && answer !== crashed;
    };
    await expect.poll(next).toBe(true);
    expect(await result(fn)).toBe(await result(fn));
  });

  test("that cannot be loaded has failed, until it can", async () => {
    const fn = run("throw new Error('not today');");
    expect(await result(fn)).toEqual({ failed: expect.stringContaining("not today") });
    write("export const other = 1;");
    expect(await result(fn)).toEqual({ failed: expect.stringContaining("exports no function") });
    write("export const handler = async () => 'well';");
    expect(await result(fn)).toBe("well");
  });

  test("has the stack of Lambda's main thread, which a deep input can use up", async () => {
    const depth = `let calls = 0;
      const deeper = () => { calls += 1; deeper(); };
      const reach = () => { calls = 0; try { deeper(); } catch {} return calls; };
      reach();`;
    const fn = run(`${depth} export const handler = async () => reach();`);
    const onMainThread = Number(
      execFileSync(process.execPath, ["-e", `${depth} console.log(reach())`], { encoding: "utf8" }),
    );
    const inFunction = await result(fn);
    // A frame more or less is spent before the handler runs; a worker's default would be four times as deep.
    expect(Math.abs(inFunction / onMainThread - 1)).toBeLessThan(0.05);
  });

  test("that returns nothing gives null", async () => {
    expect(await result(run("export const handler = async () => {};"))).toBeNull();
  });

  test("has what it writes passed on line by line", async () => {
    const fn = run(`export const handler = async () => { console.log('{"a":1}\\ntwo'); };`);
    await result(fn);
    await expect
      .poll(() => events.flatMap((event) => (event.kind === "output" ? [event.line] : [])))
      .toEqual(['{"a":1}', "two"]);
  });

  test("is reloaded when its bundle changes, and an event under way ends with the old code", async () => {
    const version = (name: string) =>
      `export const handler = async (event) => {
        await new Promise((resolve) => setTimeout(resolve, event.ms ?? 0));
        return "${name}";
      };`;
    const fn = run(version("old"));
    expect(await result(fn)).toBe("old");
    const stopWatching = reloadOnChange(fn, (event) => events.push(event));
    const underWay = result(fn, { ms: 400 });
    write(version("new"));
    await expect.poll(async () => await result(fn)).toBe("new");
    expect(await underWay).toBe("old");
    expect(await Promise.all([result(fn), result(fn)])).toEqual(["new", "new"]);
    stopWatching();
  });

  test("takes no more events once stopped", async () => {
    const fn = run("export const handler = async () => 1;");
    await fn.stop();
    expect(await result(fn)).toEqual({ failed: "the stack is stopping" });
  });
});
