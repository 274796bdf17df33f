import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAfterAnswer } from "../../../shared/receiving/after-answer.ts";
import { captureMilliseconds, longestReceiveMilliseconds } from "../../../shared/timing.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const never = new Promise<void>(() => undefined);
const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done));
};

/** Whether the wait for an invocation is over. */
function watch(waiting: Promise<void>) {
  const state = { over: false };
  void waiting.then(() => {
    state.over = true;
  });
  return state;
}

describe("after an answer", () => {
  test("the work begins when the answer is out, not before", async () => {
    const { begin } = createAfterAnswer();
    const order: string[] = [];
    const handler = async () => {
      begin(async () => void order.push("work"));
      return "answer";
    };
    order.push(await handler());
    await turns();
    expect(order).toEqual(["answer", "work"]);
  });

  test("an invocation is over when it is answered and its work is done", async () => {
    const { begin, answered, allDone } = createAfterAnswer();
    let finish = () => {};
    const work = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const waiting = watch(allDone("one"));
    begin(() => work);
    await turns();
    expect(waiting.over).toBe(false);
    answered("one");
    await turns();
    expect(waiting.over).toBe(false);
    finish();
    await turns();
    expect(waiting.over).toBe(true);
  });

  test("the answer of another invocation does not count", async () => {
    const { answered, allDone } = createAfterAnswer();
    const waiting = watch(allDone("two"));
    answered("one");
    await turns();
    expect(waiting.over).toBe(false);
    answered("two");
    await turns();
    expect(waiting.over).toBe(true);
  });

  test("work that fails is over, and stops nothing", async () => {
    const { begin, answered, allDone } = createAfterAnswer();
    begin(() => Promise.reject(new Error("no")));
    begin(() => {
      throw new Error("not even begun");
    });
    answered("one");
    const waiting = watch(allDone("one"));
    await turns();
    expect(waiting.over).toBe(true);
  });

  test("work that never ends is waited for two seconds, and no longer", async () => {
    const { begin, answered, allDone } = createAfterAnswer();
    begin(() => never);
    answered("one");
    const waiting = watch(allDone("one"));
    await turns();
    await vi.advanceTimersByTimeAsync(captureMilliseconds - 1);
    expect(waiting.over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(waiting.over).toBe(true);
    expect(captureMilliseconds).toBe(2_000);
  });

  test("an answer that is never told is waited for as long as the slowest one takes", async () => {
    const { allDone } = createAfterAnswer();
    const waiting = watch(allDone("one"));
    await vi.advanceTimersByTimeAsync(longestReceiveMilliseconds - 1);
    expect(waiting.over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(waiting.over).toBe(true);
  });
});
