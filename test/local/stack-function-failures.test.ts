import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FunctionFixture, result } from "./function-fixture.ts";

let fixture: FunctionFixture;

beforeEach(() => {
  fixture = new FunctionFixture();
});
afterEach(() => fixture.stop());

describe("a function", () => {
  test("that throws has failed, and goes on with the next event in the same instance", async () => {
    const fn = fixture.run(`let seen = 0;
      export const handler = async (event) => {
        seen += 1;
        if (event.bad) throw new TypeError("no good");
        return seen;
      };`);
    expect(await result(fn, { bad: true })).toEqual({ failed: expect.stringContaining("no good") });
    expect(await result(fn)).toBe(2);
    expect(fixture.events).toContainEqual(
      expect.objectContaining({ kind: "failure", functionName: "fn" }),
    );
  });

  test("that takes too long is ended, even in an endless loop, and starts anew", async () => {
    const fn = fixture.run(
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
    const fn = fixture.run(`export const handler = async (event) => {
      if (event.bad) { ${code}; await new Promise(() => {}); }
      return "well";
    };`);
    expect(await result(fn, { bad: true })).toEqual({ failed: expect.stringMatching(reason) });
    expect(await result(fn)).toBe("well");
  });

  test("that crashes between two fixture.events is started again", async () => {
    const fn = fixture.run(`const id = Math.random();
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
    const fn = fixture.run("throw new Error('not today');");
    expect(await result(fn)).toEqual({ failed: expect.stringContaining("not today") });
    fixture.write("export const other = 1;");
    expect(await result(fn)).toEqual({ failed: expect.stringContaining("exports no function") });
    fixture.write("export const handler = async () => 'well';");
    expect(await result(fn)).toBe("well");
  });

  test("has the stack of Lambda's main thread, which a deep input can use up", async () => {
    const depth = `let calls = 0;
      const deeper = () => { calls += 1; deeper(); };
      const reach = () => { calls = 0; try { deeper(); } catch {} return calls; };
      reach();`;
    const fn = fixture.run(`${depth} export const handler = async () => reach();`);
    const onMainThread = Number(
      execFileSync(process.execPath, ["-e", `${depth} console.log(reach())`], { encoding: "utf8" }),
    );
    const inFunction = await result(fn);
    // A frame more or less is spent before the handler runs; a worker's default would be four times as deep.
    expect(Math.abs(inFunction / onMainThread - 1)).toBeLessThan(0.05);
  });
});
