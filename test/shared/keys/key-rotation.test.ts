import { describe, expect, test } from "vitest";
import { loadVersions } from "../../../shared/keys/load-versions.ts";
import type { ReadSecret } from "../../../shared/keys/read-secret.ts";
import {
  day,
  makeKeyRing,
  minute,
  ringInUse,
  secretVersion,
  startOfTime,
} from "../../builders/key-ring.ts";

const [first, two, three] = [secretVersion("one"), secretVersion("two"), secretVersion("three")];
const broken = secretVersion("broken", { text: "broken" });

/** Secrets Manager with the version "two" as current, and a previous one that it cannot give. */
const withoutPrevious: ReadSecret = async (_id, stage) => {
  if (stage === "AWSPREVIOUS") throw new Error("throttled, or its KMS key is gone");
  return two;
};

describe("during a rotation", () => {
  test("the current version comes first, the previous one second while it has its stage", async () => {
    const { versions, put, advance } = makeKeyRing();
    put(first);
    expect(await versions()).toEqual(["one current"]);
    put(two, first);
    await advance(5 * minute);
    expect(await versions()).toEqual(["two current", "one previous"]);
    put(three, two);
    await advance(5 * minute);
    expect(await versions()).toEqual(["three current", "two previous"]);
    put(three);
    await advance(5 * minute);
    expect(await versions()).toEqual(["three current"]);
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
        readSecret: async (_id, stage) => {
          if (stage === "AWSPREVIOUS") return isRotated ? first : undefined;
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
    const replaced = versions.map(({ replacedAtMilliseconds }) => replacedAtMilliseconds);
    expect(replaced).toEqual([undefined, two.createdAtMilliseconds]);
  });

  test("it ends also while it is cached, without a call", async () => {
    const { versions, put, advance, loads } = makeKeyRing({ previousLifetime: 2 * minute });
    put(two, first);
    await advance(minute);
    expect(await versions()).toEqual(["two current", "one previous"]);
    await advance(minute - 1);
    expect(await versions()).toEqual(["two current", "one previous"]);
    await advance(1);
    expect(await versions()).toEqual(["two current"]);
    expect(loads()).toBe(1);
  });

  test.each([
    ["over", 8 * day, 2],
    ["nothing, and is not even read", 0, 1],
  ])(
    "a previous version is not parsed if its time is %s",
    async (_case, previousLifetime, reads) => {
      const { versions, put, readSecret, parse, problems } = makeKeyRing({ previousLifetime });
      put({ ...two, createdAtMilliseconds: startOfTime - previousLifetime }, broken);
      expect(await versions()).toEqual(["two current"]);
      expect(readSecret).toHaveBeenCalledTimes(reads);
      expect(parse).toHaveBeenCalledTimes(1);
      expect(problems).toEqual([]);
    },
  );
});

describe("a previous version that is broken", () => {
  test("does not hurt the current one, and is reported", async () => {
    const { versions, put, problems } = makeKeyRing();
    put(two, broken);
    expect(await versions()).toEqual(["two current"]);
    expect(problems).toMatchObject([{ merchantId: "merchant", code: "previous-keys-invalid" }]);
  });

  test("does not hurt when it cannot be read at all", async () => {
    const { versions, readSecret, problems } = makeKeyRing();
    readSecret.mockImplementation(withoutPrevious);
    expect(await versions()).toEqual(["two current"]);
    expect(problems).toMatchObject([{ code: "previous-keys-unreachable" }]);
  });

  test("goes on serving from the cache when it cannot be read for a while", async () => {
    const { versions, readSecret, advance } = await ringInUse(two, first, {
      previousLifetime: 20 * minute,
    });
    readSecret.mockImplementation(withoutPrevious);
    await advance(5 * minute);
    expect(await versions()).toEqual(["two current", "one previous"]);
    await advance(15 * minute);
    expect(await versions()).toEqual(["two current"]);
  });

  test("is the one that was current until now, if that is what can be had", async () => {
    const { versions, readSecret, advance } = await ringInUse(first, three);
    readSecret.mockImplementation(withoutPrevious);
    await advance(5 * minute);
    expect(await versions()).toEqual(["two current", "one previous"]);
  });
});

describe("a previous version whose stage was taken away", () => {
  test("is not used while the current version is broken either", async () => {
    const { versions, put, advance } = await ringInUse(first);
    put(broken, first);
    await advance(5 * minute);
    expect(await versions()).toEqual(["one previous"]);
    put(broken);
    await advance(30_000);
    await expect(versions()).rejects.toMatchObject({ code: "keys-invalid" });
  });

  test("stays in use while a broken value only pushed it out", async () => {
    const { versions, put, advance } = await ringInUse(first);
    put(broken, first);
    await advance(5 * minute);
    await versions();
    put(secretVersion("broken again", { text: "broken" }), broken);
    await advance(30_000);
    expect(await versions()).toEqual(["one previous"]);
  });
});

describe("keys that are doubted", () => {
  test("are fetched at the next use, so that a correction in between is found", async () => {
    const { ring, versions, loads, put, advance } = await ringInUse(first);
    ring.doubt("merchant");
    expect(loads()).toBe(1);
    await advance(10_000);
    put(two, first);
    expect(await versions()).toEqual(["two current", "one previous"]);
    expect(await versions()).toEqual(["two current", "one previous"]);
    expect(loads()).toBe(2);
  });

  test("are fetched at most once a minute, and the doubt lasts until then", async () => {
    const { ring, versions, loads, advance } = await ringInUse(first);
    for (let second = 0; second < 120; second++) {
      ring.doubt("merchant");
      await versions();
      await advance(1_000);
    }
    expect(loads()).toBe(1 + 2);
    await versions();
    expect(loads()).toBe(1 + 3);
    await advance(60_000);
    await versions();
    expect(loads()).toBe(1 + 3);
  });

  test("share their minute with refused callbacks", async () => {
    const { ring, versions, loads } = await ringInUse(first);
    await ring.refreshAfterRefusal("merchant");
    ring.doubt("merchant");
    await versions();
    expect(loads()).toBe(2);
  });

  test("go on serving if Secrets Manager is down", async () => {
    const { ring, versions, readSecret } = await ringInUse(first);
    readSecret.mockRejectedValue(new Error("down"));
    ring.doubt("merchant");
    expect(await versions()).toEqual(["one current"]);
  });
});

describe("after a refusal", () => {
  test("newer keys are found at once", async () => {
    const { ring, versions, put } = await ringInUse(first);
    put(two, first);
    expect(await versions()).toEqual(["one current"]);
    expect(await ring.refreshAfterRefusal("merchant")).toBe(true);
    expect(await versions()).toEqual(["two current", "one previous"]);
  });

  test("Secrets Manager is asked at most once a minute, however many are refused", async () => {
    const { ring, loads, advance } = await ringInUse(first);
    const looked: boolean[] = [];
    for (let second = 0; second <= 120; second++) {
      looked.push(await ring.refreshAfterRefusal("merchant"));
      await advance(1_000);
    }
    expect(looked.flatMap((did, second) => (did ? [second] : []))).toEqual([0, 60, 120]);
    expect(loads()).toBe(1 + 3);
  });

  test("the minute is each merchant's own", async () => {
    const { ring, put } = makeKeyRing({ merchants: ["a", "b"] });
    put(first, undefined, "a");
    put(first, undefined, "b");
    expect(await ring.refreshAfterRefusal("a")).toBe(true);
    expect(await ring.refreshAfterRefusal("b")).toBe(true);
    expect(await ring.refreshAfterRefusal("a")).toBe(false);
  });

  test("a look that fails leaves the cached keys and counts for its minute", async () => {
    const { ring, versions, readSecret, loads } = await ringInUse(first);
    readSecret.mockRejectedValue(new Error("down"));
    expect(await ring.refreshAfterRefusal("merchant")).toBe(true);
    expect(await ring.refreshAfterRefusal("merchant")).toBe(false);
    expect(await versions()).toEqual(["one current"]);
    expect(loads()).toBe(2);
  });
});
