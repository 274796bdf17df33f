import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { inTime } from "../../shared/in-time.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tooLate = () => new Error("too late");
const never = () => new Promise<never>(() => {});

test("work that ends before the limit gives its result or its error, and leaves no timer", async () => {
  expect(await inTime(100, tooLate, async () => "done")).toBe("done");
  const failing = inTime(100, tooLate, async () => Promise.reject(new Error("its own")));
  await expect(failing).rejects.toThrow("its own");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that does not listen to the signal is left at the limit, and not before", async () => {
  let state = "waiting";
  let signal: AbortSignal | undefined;
  const work = inTime(100, tooLate, (limit) => {
    signal = limit;
    return never();
  }).catch((error: Error) => {
    state = error.message;
  });
  await vi.advanceTimersByTimeAsync(99);
  expect([state, signal?.aborted]).toEqual(["waiting", false]);
  await vi.advanceTimersByTimeAsync(1);
  await work;
  expect([state, signal?.aborted, signal?.reason]).toEqual(["too late", true, tooLate()]);
});
