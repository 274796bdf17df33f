import { describe, expect, test, vi } from "vitest";
import { makeKeyRing, minute, secretVersion } from "../../builders/key-ring.ts";

describe("an id that is not configured", () => {
  test.each(["stranger", "", "__proto__", "constructor", "toString"])(
    "%j never leads to a call",
    async (id) => {
      const { ring, readSecret, put } = makeKeyRing();
      put(secretVersion("one"));
      expect(ring.knows(id)).toBe(false);
      const unknown = { code: "unknown-merchant", retryable: false };
      await expect(ring.keysFor(id)).rejects.toMatchObject(unknown);
      await expect(ring.refreshAfterRefusal(id)).rejects.toMatchObject(unknown);
      expect(readSecret).not.toHaveBeenCalled();
    },
  );
});

describe("keys that are cached", () => {
  test("serve for five minutes without a call or a parse; the first request after that looks again", async () => {
    const { ring, loads, parse, put, advance } = makeKeyRing();
    put(secretVersion("one"));
    const first = await ring.keysFor("merchant");
    expect(first).toMatchObject([{ versionId: "one", stage: "current", keys: "keys of one" }]);
    await advance(5 * minute - 1);
    expect(await ring.keysFor("merchant")).toEqual(first);
    await advance(1);
    expect([loads(), parse.mock.calls.length, vi.getTimerCount()]).toEqual([1, 1, 0]);
    await ring.keysFor("merchant");
    expect(loads()).toBe(2);
  });

  test("are parsed once per version, also when a version moves from current to previous", async () => {
    const { ring, readSecret, parse, put, advance } = makeKeyRing();
    const [first, two] = [secretVersion("one"), secretVersion("two")];
    put(first);
    await ring.keysFor("merchant");
    put(two, first);
    for (let refresh = 0; refresh < 4; refresh++) {
      await advance(5 * minute);
      await ring.keysFor("merchant");
    }
    expect(parse.mock.calls.map(([secret]) => secret.versionId)).toEqual(["one", "two"]);
    // At the rotation once more, since the stages may have moved between the two reads.
    const stages = readSecret.mock.calls.map(([, stage]) => stage);
    expect(stages.filter((stage) => stage === "AWSPREVIOUS")).toHaveLength(6);
  });

  test("a clock that is set back does not keep them for longer", async () => {
    const { ring, put, loads, freeze } = makeKeyRing();
    put(secretVersion("one"));
    await ring.keysFor("merchant");
    await ring.refreshAfterRefusal("merchant");
    freeze(-60 * minute);
    put(secretVersion("two"));
    expect(await ring.keysFor("merchant")).toMatchObject([{ versionId: "two" }]);
    expect(await ring.refreshAfterRefusal("merchant")).toBe(true);
    await ring.keysFor("merchant");
    expect(loads()).toBe(4);
  });
});

describe("priming", () => {
  test("loads each merchant's own keys, so that the first request makes no call", async () => {
    const { ring, readSecret, put } = makeKeyRing({ merchants: ["a", "b"] });
    put(secretVersion("one"), undefined, "a");
    put(secretVersion("two"), undefined, "b");
    await ring.prime(["a", "b"]);
    expect(readSecret).toHaveBeenCalledTimes(4);
    expect(await ring.keysFor("a")).toMatchObject([{ versionId: "one" }]);
    expect(await ring.keysFor("b")).toMatchObject([{ versionId: "two" }]);
    expect(readSecret).toHaveBeenCalledTimes(4);
  });

  test("that fails for one merchant fails neither the start nor the others", async () => {
    const { ring, problems, put } = makeKeyRing({ merchants: ["a", "b"] });
    put(secretVersion("one"), undefined, "a");
    await ring.prime(["a", "b"]);
    expect(problems).toMatchObject([{ merchantId: "b", code: "keys-unset" }]);
    expect(await ring.keysFor("a")).toHaveLength(1);
    await expect(ring.keysFor("b")).rejects.toMatchObject({ code: "keys-unset" });
  });
});

describe("one fetch at a time", () => {
  test("however many ask at once, each version is read once and everybody gets it", async () => {
    const { ring, readSecret, parse, put } = makeKeyRing();
    put(secretVersion("two"), secretVersion("one"));
    const asked = Array.from({ length: 50 }, () => ring.keysFor("merchant"));
    for (const keys of await Promise.all(asked)) {
      expect(keys.map(({ versionId }) => versionId)).toEqual(["two", "one"]);
    }
    expect(readSecret.mock.calls.map(([id, stage]) => [id, stage])).toEqual([
      ["secret of merchant", "AWSCURRENT"],
      ["secret of merchant", "AWSPREVIOUS"],
    ]);
    expect(parse).toHaveBeenCalledTimes(2);
  });

  test("a look after a refusal joins the one under way", async () => {
    const { ring, loads, put } = makeKeyRing();
    put(secretVersion("one"));
    await Promise.all([ring.keysFor("merchant"), ring.refreshAfterRefusal("merchant")]);
    expect(loads()).toBe(1);
  });
});

describe("why there are no keys", () => {
  test("unset: the secret has no value yet, and setting it is enough", async () => {
    const { ring, put, advance } = makeKeyRing();
    const unset = { code: "keys-unset", retryable: true };
    await expect(ring.keysFor("merchant")).rejects.toMatchObject(unset);
    put(secretVersion("one"));
    await advance(2_000);
    expect(await ring.keysFor("merchant")).toHaveLength(1);
  });

  test("invalid: the value is wrong, and says which field", async () => {
    const { ring, put, problems } = makeKeyRing();
    put(secretVersion("one", { text: "broken" }));
    const invalid = { code: "keys-invalid", retryable: false, message: "aesKey must be a string." };
    await expect(ring.keysFor("merchant")).rejects.toMatchObject(invalid);
    const { code, message } = invalid;
    expect(problems).toMatchObject([
      { merchantId: "merchant", stage: "current", isServed: false, code, message },
    ]);
  });

  test("unreachable: Secrets Manager failed, in words of our own", async () => {
    const { ring, readSecret, problems } = makeKeyRing();
    readSecret.mockRejectedValue(new Error("AccessDenied for hunter2"));
    const unreachable = { code: "keys-unreachable", retryable: true };
    await expect(ring.keysFor("merchant")).rejects.toMatchObject(unreachable);
    expect(JSON.stringify(problems)).toContain("keys-unreachable");
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });

  test("whichever it is, it is asked again after two seconds and not before", async () => {
    const { ring, loads, advance } = makeKeyRing();
    for (let tenth = 0; tenth < 40; tenth++) {
      await expect(ring.keysFor("merchant")).rejects.toMatchObject({ code: "keys-unset" });
      await advance(100);
    }
    expect(loads()).toBe(2);
  });
});
