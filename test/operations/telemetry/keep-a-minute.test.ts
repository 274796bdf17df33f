import { expect, test } from "vitest";
import { keepAMinute } from "../../../operations/telemetry/metric.ts";

function asker() {
  let now = 0;
  let asked = 0;
  const keep = keepAMinute<number>(() => now);
  return {
    ask: (question: string) => keep(question, async () => ++asked),
    fail: (question: string) => keep(question, () => Promise.reject(new Error("throttled"))),
    wait: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test("one question a minute, however many ask it, also at the same time", async () => {
  const { ask, wait } = asker();
  expect(await Promise.all([ask("a"), ask("a"), ask("b")])).toEqual([1, 1, 2]);
  wait(59_999);
  expect(await ask("a")).toBe(1);
  wait(1);
  expect(await ask("a")).toBe(3);
});

test("a failure is told, and not kept", async () => {
  const { ask, fail } = asker();
  await expect(fail("a")).rejects.toThrow("throttled");
  expect(await ask("a")).toBe(1);
});
