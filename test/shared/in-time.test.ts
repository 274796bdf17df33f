import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { inTime, tryInTime } from "../../shared/in-time.ts";

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

describe("a call that is repeated", () => {
  const failing = (...errors: readonly Error[]) => {
    const rest = [...errors];
    return vi.fn(async () => {
      const error = rest.shift();
      if (error !== undefined) throw error;
      return "done";
    });
  };
  const broken = Object.assign(new Error("reset"), { code: "ECONNRESET" });
  const serverFault = Object.assign(new Error("busy"), { $fault: "server" });
  const refused = Object.assign(new Error("no"), { $fault: "client" });

  test("is tried three times if the reason may pass", async () => {
    const call = failing(broken, serverFault);
    const done = tryInTime(1_000, tooLate, call);
    await vi.advanceTimersByTimeAsync(200);
    expect(await done).toBe("done");
    const hopeless = failing(broken, broken, serverFault);
    const failed = expect(tryInTime(1_000, tooLate, hopeless)).rejects.toBe(serverFault);
    await vi.advanceTimersByTimeAsync(200);
    await failed;
    expect([call.mock.calls.length, hopeless.mock.calls.length]).toEqual([3, 3]);
  });

  test("is tried once if AWS refused it", async () => {
    const call = failing(refused);
    await expect(tryInTime(1_000, tooLate, call)).rejects.toBe(refused);
    expect(call).toHaveBeenCalledOnce();
  });

  test("is not tried again after the limit, even if its attempt fails only then", async () => {
    let fail = () => {};
    const call = vi.fn(
      () =>
        new Promise<never>((_resolve, reject) => {
          fail = () => reject(broken);
        }),
    );
    const limited = expect(tryInTime(100, tooLate, call)).rejects.toThrow("too late");
    await vi.advanceTimersByTimeAsync(100);
    await limited;
    fail();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(call).toHaveBeenCalledOnce();
  });
});
