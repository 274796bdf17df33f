import { describe, expect, test } from "vitest";
import { createLookCache, createTurns } from "../../../tools/console/server/look-cache.ts";

/** Looks whose time and end the test decides. Each look finds its own number. */
function controlled() {
  let milliseconds = 0;
  const ends: ((error?: Error) => void)[] = [];
  const look = () => {
    const number = ends.length + 1;
    return new Promise<number>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve(number) : reject(error)));
    });
  };
  const takeTurns = createTurns();
  const options = { look, takeTurns, freshMilliseconds: 5_000, now: () => milliseconds };
  const begun = async (count: number) => {
    await expect.poll(() => ends.length, { interval: 1 }).toBeGreaterThanOrEqual(count);
  };
  return {
    cache: createLookCache(options),
    takeTurns,
    begun,
    count: () => ends.length,
    pass: (more: number) => {
      milliseconds += more;
    },
    end: async (number: number, error?: Error) => {
      await begun(number);
      ends[number - 1]?.(error);
    },
  };
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 10));

describe("a look", () => {
  test("is shared by all who ask while it runs, and is good for some seconds", async () => {
    const { cache, end, pass, count } = controlled();
    const both = [cache.last("a"), cache.last("a")];
    await end(1);
    expect((await Promise.all(both)).map(({ found }) => found)).toEqual([1, 1]);
    pass(4_999);
    expect((await cache.last("a")).found).toBe(1);
    pass(1);
    const next = cache.last("a");
    await end(2);
    expect((await next).found).toBe(2);
    expect(count()).toBe(2);
  });

  test("that is asked for again begins later, and one of them is enough for all who wait", async () => {
    const { cache, end, begun, count } = controlled();
    const first = cache.again("a");
    await begun(1);
    const later = [cache.again("a"), cache.again("a")];
    await end(1);
    await end(2);
    expect((await first).found).toBe(1);
    expect((await Promise.all(later)).map(({ found }) => found)).toEqual([2, 2]);
    expect(count()).toBe(2);
  });

  test("waits for other work on the same thing, and not for work on another", async () => {
    const { cache, takeTurns, end, begun, count } = controlled();
    let finish = () => undefined as unknown;
    const work = takeTurns("a", () => new Promise((resolve) => (finish = () => resolve(1))));
    const waiting = cache.again("a");
    const other = cache.again("b");
    await begun(1);
    await settle();
    expect(count()).toBe(1);
    finish();
    await work;
    await end(1);
    await end(2);
    expect([(await other).found, (await waiting).found]).toEqual([1, 2]);
  });

  test("that was forgotten is not given to anybody, even if it ends later", async () => {
    const { cache, end, begun } = controlled();
    const old = cache.last("a");
    await begun(1);
    cache.forget();
    await end(1);
    await old;
    expect(cache.known("a")).toBeUndefined();
    const next = cache.last("a");
    await end(2);
    expect((await next).found).toBe(2);
    expect(cache.known("a")?.found).toBe(2);
    cache.forget();
    expect(cache.known("a")).toBeUndefined();
  });

  test("that fails is reported to those who asked, and the next one is tried", async () => {
    const { cache, end } = controlled();
    const failing = cache.last("a");
    await Promise.all([
      expect(failing).rejects.toThrow("SQS is away"),
      end(1, new Error("SQS is away")),
    ]);
    const next = cache.last("a");
    await end(2);
    expect((await next).found).toBe(2);
  });
});
