import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { loadVersions } from "../../../shared/keys/load-versions.ts";
import { day, makeKeyRing, minute, secretVersion, startOfTime } from "../../builders/key-ring.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

type Ring = ReturnType<typeof makeKeyRing>["ring"];
const versionsOf = async (ring: Ring) =>
  (await ring.keysFor("merchant")).map(({ versionId, stage }) => `${versionId} ${stage}`);

const [one, two, three] = [secretVersion("one"), secretVersion("two"), secretVersion("three")];
const broken = secretVersion("broken", { text: "broken" });

describe("during a rotation", () => {
  test("the current version comes first, the previous one second, each under its stage", async () => {
    const { ring, put, advance } = makeKeyRing();
    put(one);
    expect(await versionsOf(ring)).toEqual(["one current"]);
    put(two, one);
    await advance(5 * minute);
    expect(await versionsOf(ring)).toEqual(["two current", "one previous"]);
    put(three, two);
    await advance(5 * minute);
    expect(await versionsOf(ring)).toEqual(["three current", "two previous"]);
  });

  test("that happens between the two reads, the version in use goes on verifying", async () => {
    let isRotated = false;
    const known = [
      { versionId: "one", stage: "current" as const, keys: "one", endsAtMilliseconds: Infinity },
    ];
    const { versions } = await loadVersions(
      "secret",
      known,
      {
        readSecret: async (_, stage) => {
          if (stage === "AWSPREVIOUS") return isRotated ? one : undefined;
          await Promise.resolve();
          isRotated = true;
          return two;
        },
        parse: ({ text }) => text,
        now: () => startOfTime,
        previousLifetimeMilliseconds: 8 * day,
      },
      new AbortController().signal,
      () => {},
    );
    expect(versions.map(({ versionId }) => versionId)).toEqual(["two", "one"]);
  });

  test("the previous version ends its time after the current one was made, to the millisecond", async () => {
    for (const [age, versions] of [
      [8 * day - 1, ["two current", "one previous"]],
      [8 * day, ["two current"]],
    ] as const) {
      const { ring, put } = makeKeyRing();
      put(secretVersion("two", { createdAtMilliseconds: startOfTime - age }), one);
      expect(await versionsOf(ring)).toEqual(versions);
    }
  });

  test("it ends also while it is cached, without a call", async () => {
    const { ring, put, advance, loads } = makeKeyRing({ previousLifetime: 2 * minute });
    put(two, one);
    await advance(minute);
    expect(await versionsOf(ring)).toEqual(["two current", "one previous"]);
    await advance(minute - 1);
    expect(await versionsOf(ring)).toEqual(["two current", "one previous"]);
    await advance(1);
    expect(await versionsOf(ring)).toEqual(["two current"]);
    expect(loads()).toBe(1);
  });

  test("a previous version whose time is over is not even parsed", async () => {
    const { ring, put, parse, problems } = makeKeyRing({ previousLifetime: 0 });
    put(two, broken);
    expect(await versionsOf(ring)).toEqual(["two current"]);
    expect(parse).toHaveBeenCalledTimes(1);
    expect(problems).toEqual([]);
  });
});

describe("a previous version that is broken", () => {
  test("does not hurt the current one, and is told", async () => {
    const { ring, put, problems } = makeKeyRing();
    put(two, broken);
    expect(await versionsOf(ring)).toEqual(["two current"]);
    expect(problems).toMatchObject([{ merchantId: "merchant", code: "previous-keys-invalid" }]);
  });

  test("does not hurt when it cannot be read at all", async () => {
    const { ring, readSecret, problems } = makeKeyRing();
    readSecret.mockImplementation(async (_id, stage) => {
      if (stage === "AWSPREVIOUS") throw new Error("its KMS key is gone");
      return two;
    });
    expect(await versionsOf(ring)).toEqual(["two current"]);
    expect(problems).toMatchObject([{ code: "previous-keys-unreachable" }]);
  });

  test("goes on serving from the cache when it cannot be read for a while", async () => {
    const { ring, readSecret, put, advance } = makeKeyRing({ previousLifetime: 20 * minute });
    put(two, one);
    await versionsOf(ring);
    readSecret.mockImplementation(async (_id, stage) => {
      if (stage === "AWSPREVIOUS") throw new Error("throttled");
      return two;
    });
    await advance(5 * minute);
    expect(await versionsOf(ring)).toEqual(["two current", "one previous"]);
    await advance(15 * minute);
    expect(await versionsOf(ring)).toEqual(["two current"]);
  });

  test("is the one that was current until now, if that is what can be had", async () => {
    const { ring, readSecret, put, advance } = makeKeyRing();
    put(one);
    await versionsOf(ring);
    readSecret.mockImplementation(async (_id, stage) => {
      if (stage === "AWSPREVIOUS") throw new Error("throttled");
      return two;
    });
    await advance(5 * minute);
    expect(await versionsOf(ring)).toEqual(["two current", "one previous"]);
  });
});

describe("a previous version whose stage was taken away", () => {
  test("is used no longer than the five minutes for which keys are cached", async () => {
    const { ring, put, advance } = makeKeyRing();
    put(two, one);
    expect(await versionsOf(ring)).toEqual(["two current", "one previous"]);
    put(two);
    await advance(5 * minute);
    expect(await versionsOf(ring)).toEqual(["two current"]);
  });

  test("is not used while the current version is broken either", async () => {
    const { ring, put, advance } = makeKeyRing();
    put(one);
    await versionsOf(ring);
    put(broken, one);
    await advance(5 * minute);
    expect(await versionsOf(ring)).toEqual(["one previous"]);
    put(broken);
    await advance(30_000);
    await expect(versionsOf(ring)).rejects.toMatchObject({ code: "keys-invalid" });
  });

  test("stays in use while a broken value only pushed it out", async () => {
    const { ring, put, advance } = makeKeyRing();
    put(one);
    await versionsOf(ring);
    put(broken, one);
    await advance(5 * minute);
    await versionsOf(ring);
    put(secretVersion("broken again", { text: "broken" }), broken);
    await advance(30_000);
    expect(await versionsOf(ring)).toEqual(["one previous"]);
  });
});

describe("after a refusal", () => {
  test("newer keys are found at once", async () => {
    const { ring, put } = makeKeyRing();
    put(one);
    await versionsOf(ring);
    put(two, one);
    expect(await versionsOf(ring)).toEqual(["one current"]);
    expect(await ring.refreshAfterRefusal("merchant")).toBe(true);
    expect(await versionsOf(ring)).toEqual(["two current", "one previous"]);
  });

  test("Secrets Manager is asked at most once a minute, however many are refused", async () => {
    const { ring, put, loads, advance } = makeKeyRing();
    put(one);
    await versionsOf(ring);
    const looked: boolean[] = [];
    for (let second = 0; second <= 120; second++) {
      looked.push(await ring.refreshAfterRefusal("merchant"));
      await advance(1_000);
    }
    expect(looked.flatMap((did, second) => (did ? [second] : []))).toEqual([0, 60, 120]);
    expect(loads()).toBe(1 + 3);
  });

  test("refusals that come together cost one call", async () => {
    const { ring, put, loads } = makeKeyRing();
    put(one);
    await versionsOf(ring);
    await Promise.all(Array.from({ length: 20 }, () => ring.refreshAfterRefusal("merchant")));
    expect(loads()).toBe(2);
  });

  test("the minute is each merchant's own", async () => {
    const { ring, put } = makeKeyRing({ merchants: ["a", "b"] });
    put(one, undefined, "a");
    put(one, undefined, "b");
    expect(await ring.refreshAfterRefusal("a")).toBe(true);
    expect(await ring.refreshAfterRefusal("b")).toBe(true);
    expect(await ring.refreshAfterRefusal("a")).toBe(false);
  });

  test("a look that fails leaves the cached keys and counts for its minute", async () => {
    const { ring, readSecret, put, loads } = makeKeyRing();
    put(one);
    await versionsOf(ring);
    readSecret.mockRejectedValue(new Error("down"));
    expect(await ring.refreshAfterRefusal("merchant")).toBe(true);
    expect(await ring.refreshAfterRefusal("merchant")).toBe(false);
    expect(await versionsOf(ring)).toEqual(["one current"]);
    expect(loads()).toBe(2);
  });
});
