import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { reloadOnChange } from "../../local/stack/functions/run-function.ts";
import { FunctionFixture, result } from "./function-fixture.ts";

let fixture: FunctionFixture;

beforeEach(() => {
  fixture = new FunctionFixture();
});
afterEach(() => fixture.stop());

describe("a function", () => {
  test("gets its event and Lambda's context, and its result comes back", async () => {
    const fn = fixture.run(`export const handler = async (event, context) => ({
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
      AWS_ACCESS_KEY_ID: "local",
    });
    expect(environment).not.toHaveProperty("PAYCAST_TEST_ONLY");
    expect(environment).not.toHaveProperty("HOME");
  });

  test("keeps its state between events, which come one at a time to an instance", async () => {
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
    const firsts = answers.filter(({ seen }) => seen === 1);
    expect(firsts).toHaveLength(2);
  });

  test("that returns nothing gives null", async () => {
    expect(await result(fixture.run("export const handler = async () => {};"))).toBeNull();
  });

  test("has what it writes passed on line by line", async () => {
    const fn = fixture.run(`export const handler = async () => { console.log('{"a":1}\\ntwo'); };`);
    await result(fn);
    await expect
      .poll(() => fixture.events.flatMap((event) => (event.kind === "output" ? [event.line] : [])))
      .toEqual(['{"a":1}', "two"]);
  });

  test("is reloaded when its bundle changes, and an event under way ends with the old code", async () => {
    const version = (name: string) =>
      `export const handler = async (event) => {
        await new Promise((resolve) => setTimeout(resolve, event.ms ?? 0));
        return "${name}";
      };`;
    const fn = fixture.run(version("old"));
    expect(await result(fn)).toBe("old");
    const stopWatching = reloadOnChange(fn, (event) => fixture.events.push(event));
    const underWay = result(fn, { ms: 400 });
    fixture.write(version("new"));
    await expect.poll(async () => await result(fn)).toBe("new");
    expect(await underWay).toBe("old");
    expect(await Promise.all([result(fn), result(fn)])).toEqual(["new", "new"]);
    stopWatching();
  });

  test("takes no more fixture.events once stopped", async () => {
    const fn = fixture.run("export const handler = async () => 1;");
    await fn.stop();
    expect(await result(fn)).toEqual({ failed: "the stack is stopping" });
  });
});
