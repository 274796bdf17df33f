import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reloadOnChange } from "../../../../tools/local/stack/functions/run-function.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";
import { result, useFunction } from "./function-fixture.ts";

const fixture = useFunction();

test("a function gets its event and Lambda's context, and its result comes back", async () => {
  const fn = fixture.run(
    `export const handler = async (event, context) => ({
    event,
    name: context.functionName,
    requestId: context.awsRequestId,
    remaining: context.getRemainingTimeInMillis(),
  });`,
    { timeoutSeconds: 600 },
  );
  const answer = await result(fn, { a: [1, null] });
  expect(answer).toMatchObject({ event: { a: [1, null] }, name: "fn" });
  expect(answer.requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.remaining).toBeGreaterThan(500_000);
  expect(answer.remaining).toBeLessThanOrEqual(600_000);
});

test("a function has the variables of the template and of Lambda, and none of this machine", async () => {
  process.env["PAYCAST_TEST_ONLY"] = "leaked";
  const fn = fixture.run("export const handler = async () => process.env;");
  const environment = await result(fn);
  delete process.env["PAYCAST_TEST_ONLY"];
  expect(environment).toMatchObject({
    GREETING: "hello",
    AWS_REGION: "us-east-1",
    AWS_LAMBDA_FUNCTION_NAME: "fn",
    AWS_ENDPOINT_URL_SQS: "http://q",
    AWS_ENDPOINT_URL_DYNAMODB: "http://d",
    AWS_ENDPOINT_URL_SECRETS_MANAGER: "http://s",
    AWS_ACCESS_KEY_ID: "fn",
  });
  expect(environment).not.toHaveProperty("PAYCAST_TEST_ONLY");
  expect(environment).not.toHaveProperty("HOME");
});

test("a function sees the stack's clock, also in an instance that was started before a jump", async () => {
  const fn = fixture.run(
    `const kept = Date.now;
    export const handler = async (event, context) => ({
      times: [kept(), Date.now(), new Date().getTime(), Date.parse(Date())],
      written: new Date(86_400_000).toISOString(),
      isDate: new Date() instanceof Date,
      remaining: context.getRemainingTimeInMillis(),
    });`,
    { timeoutSeconds: 600, maxInstances: 1 },
  );
  const aheadOf = (time: number) => Math.abs(Math.round((time - Date.now()) / 60_000));
  expect((await result(fn)).times.map(aheadOf)).toEqual([0, 0, 0, 0]);
  await fixture.clock.jump(3_600_000);
  const { times, remaining, ...rest } = await result(fn);
  expect(times.map(aheadOf)).toEqual([60, 60, 60, 60]);
  expect(rest).toEqual({ written: "1970-01-02T00:00:00.000Z", isDate: true });
  expect(Math.round(remaining / 60_000)).toBe(10);
});

test("an instance keeps its state and gets one event at a time", async () => {
  const fn = fixture.run(
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
  expect(answers.filter(({ seen }) => seen === 1)).toHaveLength(2);
});

test("an event that nobody waits for any more when an instance is free is dropped", async () => {
  const fn = fixture.run(
    `let seen = 0;
    export const handler = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      seen += 1;
      return seen;
    };`,
    { maxInstances: 1 },
  );
  let isAwaited = true;
  const first = result(fn);
  const abandoned = fn.invoke({}, () => isAwaited);
  isAwaited = false;
  expect(await first).toBe(1);
  expect(await abandoned).toMatchObject({ ok: false });
  expect(fixture.events).toContainEqual(expect.objectContaining({ outcome: "throttled" }));
  expect(await result(fn)).toBe(2);
});

test("what a function prints is passed on line by line", async () => {
  const fn = fixture.run(`export const handler = async () => { console.log('{"a":1}\\ntwo'); };`);
  expect(await result(fn)).toBeNull();
  await expect
    .poll(() => fixture.events.flatMap((event) => (event.kind === "output" ? [event.line] : [])))
    .toEqual(['{"a":1}', "two"]);
});

test("a changed bundle is reloaded, and an event in progress ends with the old code", async () => {
  const released = join(temporaryFolder("reload"), "released");
  const version = (name: string) =>
    `import { existsSync } from "node:fs";
    export const handler = async (event) => {
      while (event.waits && !existsSync(${JSON.stringify(released)})) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return "${name}";
    };`;
  const fn = fixture.run(version("old"));
  expect(await result(fn)).toBe("old");
  const stopWatching = reloadOnChange(fn, (event) => fixture.events.push(event));
  const inProgress = result(fn, { waits: true });
  fixture.write(version("new"));
  await expect.poll(async () => await result(fn)).toBe("new");
  writeFileSync(released, "");
  expect(await inProgress).toBe("old");
  stopWatching();
});

test("a function that throws goes on with the next event in the same instance", async () => {
  const fn = fixture.run(`let seen = 0;
    export const handler = async (event) => {
      seen += 1;
      if (event.bad) throw new TypeError("no good");
      return seen;
    };`);
  expect(await result(fn, { bad: true })).toEqual({ failed: expect.stringContaining("no good") });
  expect(await result(fn)).toBe(2);
  const failure = { kind: "failure", functionName: "fn" };
  expect(fixture.events).toContainEqual(expect.objectContaining(failure));
});

test.each([
  ["never ends", "while (true)", /timed out after 2 seconds/, 2],
  ["exits", "process.exit(3)", /exited with 3/, 60],
  ["throws outside of any promise", "setTimeout(() => { throw new Error('boom') }, 1)", /boom/, 60],
  ["leaves a rejection unhandled", "Promise.reject(new Error('boom'))", /boom/, 60],
])("a function that %s has failed and is started again", async (_name, code, reason, limit) => {
  const fn = fixture.run(
    `export const handler = async (event) => {
      if (event.bad) { ${code}; await new Promise(() => {}); }
      return "well";
    };`,
    { timeoutSeconds: limit },
  );
  expect(await result(fn, { bad: true })).toEqual({ failed: expect.stringMatching(reason) });
  expect(await result(fn)).toBe("well");
});

test("a function that crashes between two events is started again", async () => {
  const fn = fixture.run(`const id = Math.random();
    export const handler = async (event) => {
      if (event.bad) setTimeout(() => process.exit(1), 1);
      return id;
    };`);
  const crashed = await result(fn, { bad: true });
  const restarted = async () => {
    const answer = await result(fn);
    return typeof answer === "number" && answer !== crashed;
  };
  await expect.poll(restarted).toBe(true);
});

test("a function that cannot be loaded fails until it can", async () => {
  const fn = fixture.run("throw new Error('not today');");
  expect(await result(fn)).toEqual({ failed: expect.stringContaining("not today") });
  fixture.write("export const other = 1;");
  expect(await result(fn)).toEqual({ failed: expect.stringContaining("exports no function") });
  fixture.write("export const handler = async () => 'well';");
  expect(await result(fn)).toBe("well");
});

test("a function has the stack of Lambda's main thread, which a deep input can use up", async () => {
  const depth = `let calls = 0;
    const deeper = () => { calls += 1; deeper(); };
    const reach = () => { calls = 0; try { deeper(); } catch {} return calls; };
    reach();`;
  const fn = fixture.run(`${depth} export const handler = async () => reach();`);
  const onMainThread = Number(
    execFileSync(process.execPath, ["-e", `${depth} console.log(reach())`], { encoding: "utf8" }),
  );
  const inFunction = await result(fn);
  // A few frames are used before the handler runs. A worker's default would be four times as deep.
  expect(Math.abs(inFunction / onMainThread - 1)).toBeLessThan(0.05);
});

test("a stopped function takes no more events", async () => {
  const fn = fixture.run("export const handler = async () => 1;");
  await fn.stop();
  expect(await result(fn)).toEqual({ failed: "the stack is stopping" });
});
