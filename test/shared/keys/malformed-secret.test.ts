import { describe, expect, test, vi } from "vitest";
import { describeKeysProblem } from "../../../shared/keys/keys-line.ts";
import type { ReadSecret } from "../../../shared/keys/read-secret.ts";
import { createRequestKeys } from "../../../shared/keys/request-keys.ts";
import { smokeName } from "../../../shared/smoke-merchant.ts";
import {
  day,
  makeKeyRing,
  minute,
  ringInUse,
  secretVersion,
  startOfTime,
} from "../../builders/key-ring.ts";
import { makeMerchant } from "../../builders/merchant.ts";

const [first, two, three] = [secretVersion("one"), secretVersion("two"), secretVersion("three")];
const broken = secretVersion("broken", { text: "broken" });
const brokenAgain = secretVersion("broken again", { text: "broken" });
const invalid = { merchantId: "merchant", stage: "current", code: "keys-invalid" };

describe("a current version that makes no sense, on a cold instance", () => {
  test("does not stop a good previous one, and is reported", async () => {
    const { ring, versions, put, problems } = makeKeyRing();
    put(broken, first);
    await ring.prime(["merchant"]);
    expect(await versions()).toEqual(["one previous"]);
    expect(problems).toMatchObject([invalid]);
  });

  test.each([
    [8 * day - 1, ["one previous"]],
    [8 * day, "keys-invalid"],
  ])("%i ms after it was made leaves the previous one or the reason: %j", async (age, outcome) => {
    const { versions, put } = makeKeyRing();
    const createdAtMilliseconds = startOfTime - age;
    put(secretVersion("broken", { text: "broken", createdAtMilliseconds }), first);
    expect(await versions().catch(({ code }) => code)).toEqual(outcome);
  });

  test("is an error and no unknown merchant once the time ends while it is cached", async () => {
    const { ring, versions, put, advance } = makeKeyRing({ previousLifetime: 1_000 });
    put(broken, first);
    expect(await versions()).toEqual(["one previous"]);
    await advance(1_000);
    await expect(ring.keysFor("merchant")).rejects.toMatchObject({ code: "keys-invalid" });
  });

  test("leaves nothing when the previous one makes no sense either, and both are reported", async () => {
    const { ring, put, problems } = makeKeyRing();
    put(broken, brokenAgain);
    await expect(ring.keysFor("merchant")).rejects.toMatchObject({ code: "keys-invalid" });
    expect(problems.map(({ code }) => code)).toEqual(["previous-keys-invalid", "keys-invalid"]);
  });
});

describe("a current version that makes no sense, on a warm instance", () => {
  test("leaves the keys in use, and is reported within minutes and again every half minute", async () => {
    const { ring, versions, put, advance, problems } = makeKeyRing();
    put(first);
    expect(await versions()).toEqual(["one current"]);
    put(broken, first);
    for (let second = 0; second < 7 * 60; second++) {
      await advance(1_000);
      expect((await ring.keysFor("merchant")).map(({ keys }) => keys)).toEqual(["keys of one"]);
    }
    expect(problems).toHaveLength(1 + 4);
    for (const problem of problems) expect(problem).toMatchObject(invalid);
  });

  test("is reported at once by a look after a refusal, and the next look does not wait for five minutes", async () => {
    const { ring, versions, put, advance, problems, loads } = await ringInUse(first);
    put(broken, first);
    await ring.refreshAfterRefusal("merchant");
    expect(problems).toMatchObject([invalid]);
    await advance(30_000);
    await versions();
    expect(loads()).toBe(3);
    expect(problems).toHaveLength(2);
  });

  test("leaves both versions of a rotation that was under way", async () => {
    const { versions, put, advance } = await ringInUse(two, first);
    put(broken, two);
    await advance(5 * minute);
    expect(await versions()).toEqual(["two previous", "one previous"]);
  });

  test.each([
    ["once", first],
    ["twice", brokenAgain],
  ])(
    "ends the keys in use when a cold instance would, after a mistake made %s",
    async (_times, previous) => {
      const { ring, versions, put, advance } = await ringInUse(first, undefined, {
        previousLifetime: 20 * minute,
      });
      put(broken, previous);
      await advance(20 * minute - 10_000);
      expect(await versions()).toEqual(["one previous"]);
      await advance(10_000);
      await expect(ring.keysFor("merchant")).rejects.toMatchObject({ code: "keys-invalid" });
    },
  );
});

describe("after the secret was fixed", () => {
  test.each(["cold", "warm"])(
    "a %s instance has the new keys within half a minute",
    async (start) => {
      const { versions, put, advance, problems } = makeKeyRing();
      if (start === "warm") {
        put(first);
        await versions();
        await advance(5 * minute);
      }
      put(broken, first);
      expect(await versions()).toEqual(["one previous"]);
      put(three, broken);
      await advance(30_000);
      expect(await versions()).toEqual(["three current"]);
      expect(problems.filter(({ stage }) => stage === "current")).toHaveLength(1);
    },
  );

  test("keys are looked at every five minutes again, as ever", async () => {
    const { versions, put, advance, loads } = await ringInUse(broken, first);
    put(three, first);
    await advance(30_000);
    expect(await versions()).toEqual(["three current", "one previous"]);
    await advance(5 * minute - 1);
    await versions();
    expect(loads()).toBe(2);
  });
});

test("a problem of the current version is counted; the broken version that was replaced is only logged", () => {
  const problem = {
    merchantId: "m",
    stage: "current",
    isServed: true,
    sinceMilliseconds: 0,
    code: "keys-invalid",
    message: "aesKey must be a string.",
  } as const;
  expect(describeKeysProblem(problem, 0)).toEqual([
    {
      outcome: "keys-problem",
      merchantId: "m",
      stage: "keys",
      reason: problem.code,
      detail: problem.message,
    },
    { KeysProblem: 1 },
  ]);
  expect(describeKeysProblem({ ...problem, stage: "previous" }, 0)[1]).toEqual({});
  expect(describeKeysProblem({ ...problem, merchantId: smokeName }, 0)[1]).toEqual({});
});

describe("the keys that sign requests", () => {
  const good = makeMerchant().requestSecret();
  const clock = { now: startOfTime };

  function requestKeys() {
    const secret = { current: secretVersion("one", { text: good }) };
    const readSecret = vi.fn<ReadSecret>(async () => secret.current);
    const problems: string[] = [];
    const keys = createRequestKeys(
      { merchant: "secret" },
      () => clock.now,
      ({ code }) => problems.push(code),
      readSecret,
    );
    return { secret, readSecret, problems, sign: () => keys.keysFor("merchant") };
  }

  test.each([
    ["no JSON", "broken", "keys-invalid"],
    ["a field missing", '{"aesKey":"x"}', "keys-invalid"],
    ["a bad key", JSON.stringify({ ...JSON.parse(good), merchantPrivateKey: "x" }), "keys-invalid"],
    ["a bad profile", good.replace("{", '{"profile":{"cipher":"DES"},'), "profile-invalid"],
  ])("are no older ones, once a current version with %s was fetched", async (_how, text, code) => {
    const { secret, problems, sign } = requestKeys();
    await sign();
    // A clock of Secrets Manager that is ahead of ours must not make the older keys good for a moment.
    const createdAtMilliseconds = clock.now + day;
    secret.current = secretVersion("two", { text, createdAtMilliseconds });
    clock.now += 5 * minute;
    await expect(sign()).rejects.toMatchObject({ code });
    await expect(sign()).rejects.toMatchObject({ code });
    expect(problems).toEqual([code]);
    secret.current = secretVersion("three", { text: good });
    clock.now += 2_000;
    await expect(sign()).resolves.toHaveProperty("privateKey");
  });

  test("go on serving while Secrets Manager is down", async () => {
    const { readSecret, sign, problems } = requestKeys();
    await sign();
    readSecret.mockRejectedValue(new Error("down"));
    clock.now += day;
    await expect(sign()).resolves.toHaveProperty("privateKey");
    expect(problems).toEqual(["keys-unreachable"]);
  });
});
