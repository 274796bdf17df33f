import { describe, expect, test, vi } from "vitest";
import { makeKeyRing, minute, ringInUse, secretVersion } from "../../builders/key-ring.ts";

const deadline = 1_500;
const version = secretVersion("one");
const two = secretVersion("two");
const never = () => new Promise<undefined>(() => {});

describe("while Secrets Manager is down", () => {
  test("cached keys go on serving, and one request in thirty seconds asks again", async () => {
    const { ring, readSecret, advance, loads, problems } = await ringInUse(version);
    readSecret.mockRejectedValue(new Error("down"));
    await advance(5 * minute);
    for (let second = 0; second < 90; second++) {
      expect(await ring.keysFor("merchant")).toMatchObject([{ versionId: "one" }]);
      await advance(1_000);
    }
    expect(loads()).toBe(1 + 3);
    expect(problems.map(({ code }) => code)).toEqual(Array(3).fill("keys-unreachable"));
  });

  test("they serve for as long as it takes, and newer ones follow when it is back", async () => {
    const { ring, readSecret, put, advance } = await ringInUse(version);
    const working = readSecret.getMockImplementation();
    readSecret.mockRejectedValue(new Error("down"));
    for (let hour = 0; hour < 48; hour++) {
      await advance(60 * minute);
      expect(await ring.keysFor("merchant")).toMatchObject([{ versionId: "one" }]);
    }
    readSecret.mockImplementation(working!);
    put(two);
    await advance(30_000);
    expect(await ring.keysFor("merchant")).toMatchObject([{ versionId: "two" }]);
  });

  test("keys that were good serve on when the secret is deleted", async () => {
    const { ring, put, advance, problems } = await ringInUse(version);
    put(undefined);
    await advance(5 * minute);
    expect(await ring.keysFor("merchant")).toMatchObject([{ versionId: "one" }]);
    expect(problems).toHaveLength(1);
  });
});

test("a problem says since when each fetch has failed, and whether keys still serve", async () => {
  const { ring, readSecret, put, advance, problems, now } = await ringInUse(version);
  const working = readSecret.getMockImplementation();
  const fetchAgain = async (minutes: number) => {
    await advance(minutes * minute);
    await ring.keysFor("merchant");
  };
  const found = () =>
    problems.splice(0).map(({ isServed, sinceMilliseconds }) => [isServed, sinceMilliseconds]);
  readSecret.mockRejectedValue(new Error("down"));
  await fetchAgain(5);
  const first = now();
  await fetchAgain(20);
  expect(found()).toEqual([
    [true, first],
    [true, first],
  ]);
  readSecret.mockImplementation(working!);
  put(two);
  await fetchAgain(1);
  readSecret.mockRejectedValue(new Error("down"));
  await fetchAgain(5);
  expect(found()).toEqual([[true, now()]]);
});

describe("a fetch that takes too long", () => {
  test("ends at its deadline: the request gets its answer and the call is cancelled", async () => {
    const { ring, readSecret, advance } = makeKeyRing();
    readSecret.mockImplementation(never);
    const settled = vi.fn();
    const keys = ring.keysFor("merchant").catch((error) => settled(error.code, error.retryable));
    const signal = readSecret.mock.calls[0]![2];
    await advance(deadline - 1);
    expect(settled).not.toHaveBeenCalled();
    expect(signal.aborted).toBe(false);
    await advance(1);
    await keys;
    expect(settled).toHaveBeenCalledWith("keys-unreachable", true);
    expect(signal.aborted).toBe(true);
  });

  test("gives way to cached keys", async () => {
    const { ring, readSecret, advance } = await ringInUse(version);
    readSecret.mockImplementation(never);
    await advance(5 * minute);
    const keys = ring.keysFor("merchant");
    await advance(deadline);
    expect(await keys).toMatchObject([{ versionId: "one" }]);
  });

  test("is reported once, however many wait for it", async () => {
    const { ring, readSecret, advance, problems } = makeKeyRing();
    readSecret.mockImplementation(never);
    const waiting = Array.from({ length: 20 }, () =>
      ring.keysFor("merchant").catch(() => "refused"),
    );
    await advance(deadline);
    expect(await Promise.all(waiting)).toEqual(Array(20).fill("refused"));
    expect(problems).toMatchObject([{ message: expect.stringContaining("1500 ms") }]);
  });
});

describe("a fetch from before a freeze", () => {
  test.each([
    ["though its timer fires first", true],
    ["before its timer fires", false],
  ])("counts as dead: the next request starts its own, %s", async (_case, firesFirst) => {
    const { ring, readSecret, put, freeze, loads } = makeKeyRing();
    const working = readSecret.getMockImplementation();
    readSecret.mockImplementation(never);
    const before = ring.keysFor("merchant").catch(() => "refused");
    readSecret.mockImplementation(working!);
    put(version);
    freeze(60 * minute);
    if (firesFirst) await vi.advanceTimersByTimeAsync(deadline);
    expect(await ring.keysFor("merchant")).toMatchObject([{ versionId: "one" }]);
    expect(loads()).toBe(2);
    await vi.advanceTimersByTimeAsync(deadline);
    expect(await before).toEqual(firesFirst ? "refused" : [expect.anything()]);
  });

  test("brings neither its late answer nor its late failure", async () => {
    for (const late of ["answer", "failure"]) {
      const { ring, readSecret, put, freeze, loads, problems } = makeKeyRing();
      const working = readSecret.getMockImplementation();
      const finish: (() => void)[] = [];
      readSecret.mockImplementation((_id, stage) => {
        return new Promise((resolve, reject) => {
          const answer = () => resolve(stage === "AWSCURRENT" ? version : undefined);
          finish.push(late === "answer" ? answer : () => reject(new Error("socket closed")));
        });
      });
      const before = ring.keysFor("merchant");
      readSecret.mockImplementation(working!);
      put(two);
      freeze(minute);
      const after = ring.keysFor("merchant");
      for (const end of finish) end();
      expect(await after).toMatchObject([{ versionId: "two" }]);
      await before.catch(() => undefined);
      expect(await ring.keysFor("merchant")).toMatchObject([{ versionId: "two" }]);
      expect(loads()).toBe(2);
      expect(problems).toEqual([]);
    }
  });
});
