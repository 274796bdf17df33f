import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { hourBucket } from "../../../../shared/records/time-bucket.ts";
import { toRfc3339 } from "../../../../shared/time/timestamp.ts";
import { changeKeys } from "../../../../tools/operations/keys/apply-stages.ts";
import { restore, revoke } from "../../../../tools/operations/keys/restore-and-revoke.ts";
import { planNewKeys } from "../../../../tools/operations/keys/set-keys.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { putItem } from "../../../integration/aws-stores.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { faultyTarget } from "../faulty-target.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { callbackFile, keySetup, requestFile } from "./key-setup.ts";

const work = { stopped: new AbortController().signal, tell: () => undefined };
const operated = useOperatedStack();
const setup = keySetup(operated);

const rotatedMerchant = async () => {
  const merchant = await setup.setMerchant();
  const current = await setup.put(merchant.callbackKeys, makeMerchant().callbackSecret());
  return { ...merchant, current, previous: merchant.callbackVersion };
};

describe("keys revoke --previous", () => {
  test("shows the version first, and takes its stage away with --yes", async () => {
    const { merchantId, callbackKeys, current, previous } = await rotatedMerchant();
    const args = ["revoke", merchantId, "--previous"];
    const shown = await setup.keys(...args);
    expect(shown.out).toContain(previous);
    expect(shown.out).toMatch(
      new RegExp(`^callback +revoked +${previous} .* none, since no callback was recorded`, "m"),
    );
    expect(shown.out).toContain("Nothing was changed.");
    expect((await setup.stagesOf(callbackKeys))["AWSPREVIOUS"]).toBe(previous);
    const { code, out } = await setup.keys(...args, "--yes");
    expect(out).toContain(`Versions now: current ${current}, previous none.`);
    expect(out).toMatch(/Functions may use the old keys until \d{4}-\d\d-\d\dT\S+Z\./);
    expect(code).toBe(0);
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: current });
    expect(await setup.revokedOf(callbackKeys)).toEqual([previous]);
    expect(JSON.parse(setup.auditLines().at(-1)!)).toMatchObject({
      act: "keys-revoke",
      merchantId,
      currentVersions: [current],
      previousVersions: [previous],
      currentThen: [current],
      previousThen: ["none"],
    });
  });

  test("takes the previous versions of both secrets out", async () => {
    const { merchantId, callbackKeys, requestKeys } = await rotatedMerchant();
    await setup.put(requestKeys, makeMerchant().requestSecret());
    await setup.keys("revoke", merchantId, "--previous", "--yes");
    for (const secretId of [callbackKeys, requestKeys]) {
      expect(Object.keys(await setup.stagesOf(secretId))).toEqual(["AWSCURRENT"]);
    }
  });

  test("without a previous version says that there is none", async () => {
    const { merchantId } = await setup.setMerchant();
    expect(await setup.keys("revoke", merchantId, "--previous", "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is nothing to revoke"),
    });
  });

  test("of a version that another operator pushed out meanwhile says so, and is no success", async () => {
    const { merchantId, callbackKeys, current } = await rotatedMerchant();
    const target = await setup.target();
    const { act } = await revoke.plan(target, { merchant: merchantId, previous: true }, work);
    const newest = await setup.put(callbackKeys, makeMerchant().callbackSecret());
    const { isGood, below } = await act(target, work);
    expect(isGood).toBe(false);
    expect(below?.[0]).toBe(
      `Another command changed the callback keys first, so yours did not. Versions now: current ${newest}, previous ${current}. Run "keys check", then decide.`,
    );
  });
});

test("previous keys are not revoked while the current ones are not valid: they are all that works", async () => {
  const { merchantId, callbackKeys, callbackVersion } = await setup.setMerchant();
  const broken = await setup.put(callbackKeys, "{}");
  const run = await setup.keys("revoke", merchantId, "--previous", "--yes");
  expect(run).toMatchObject({ code: 2, err: expect.stringContaining("the only ones that work") });
  expect(await setup.stagesOf(callbackKeys)).toEqual({
    AWSCURRENT: broken,
    AWSPREVIOUS: callbackVersion,
  });
});

describe("keys revoke --version", () => {
  test("takes exactly this version out, a pending one too", async () => {
    const { merchantId, callbackKeys, current, previous } = await rotatedMerchant();
    const pending = await setup.put(callbackKeys, makeMerchant().callbackSecret(), ["AWSPENDING"]);
    await setup.keys("revoke", merchantId, "--version", pending, "--yes");
    expect(await setup.stagesOf(callbackKeys)).toEqual({
      AWSCURRENT: current,
      AWSPREVIOUS: previous,
    });
    await setup.keys("revoke", merchantId, "--version", previous, "--yes");
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: current });
    expect((await setup.revokedOf(callbackKeys)).sort()).toEqual([pending, previous].sort());
  });

  test("refuses the current version, and says how it is replaced", async () => {
    const { merchantId, callbackKeys, current } = await rotatedMerchant();
    const before = await setup.stagesOf(callbackKeys);
    const run = await setup.keys("revoke", merchantId, "--version", current, "--yes");
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining("keys revoke --current") });
    expect(await setup.stagesOf(callbackKeys)).toEqual(before);
  });

  test("of a version that no function uses changes nothing", async () => {
    const { merchantId } = await rotatedMerchant();
    const run = await setup.keys("revoke", merchantId, "--version", "x\u001b[31m", "--yes");
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining("no function uses it") });
    expect(run.err).not.toContain("\u001b");
  });
});

describe("keys revoke --current", () => {
  test("makes the new keys current, and the leaked version has no stage at all", async () => {
    const merchant = await setup.setMerchant();
    const keys = makeMerchant();
    const files = ["--callback-keys", callbackFile(keys), "--request-keys", requestFile(keys)];
    const args = ["revoke", merchant.merchantId, "--current", ...files, "--yes"];
    expect((await setup.keys(...args)).code).toBe(0);
    for (const secretId of [merchant.callbackKeys, merchant.requestKeys]) {
      expect(Object.keys(await setup.stagesOf(secretId))).toEqual(["AWSCURRENT"]);
    }
    expect(await setup.revokedOf(merchant.callbackKeys)).toEqual([merchant.callbackVersion]);
    expect(JSON.parse(await setup.textOf(merchant.callbackKeys))).toEqual(
      JSON.parse(keys.callbackSecret()),
    );
  });

  test("keeps the version before the leaked one, if its time is not over", async () => {
    const { merchantId, callbackKeys, current, previous } = await rotatedMerchant();
    const target = await setup.target();
    const callbackKeysFile = makeMerchant().callbackSecret();
    const asked = { merchant: merchantId, callbackKeys: callbackKeysFile };
    await changeKeys(target, "revoke", (await planNewKeys(target, "revoke", asked)).changes);
    const stages = await setup.stagesOf(callbackKeys);
    expect(stages["AWSPREVIOUS"]).toBe(previous);
    expect(Object.values(stages)).not.toContain(current);
  });

  test("removes the version before the leaked one too, if it has the same keys", async () => {
    const merchant = await setup.setMerchant();
    const { merchantId, callbackKeys, callbackVersion } = merchant;
    const profile = writtenFile(JSON.stringify({ signatureHash: "SHA-512" }));
    await setup.keys("set", merchantId, "--profile", profile, "--unproven", "--yes");
    const { AWSCURRENT: leaked } = await setup.stagesOf(callbackKeys);
    expect(await setup.stagesOf(callbackKeys)).toMatchObject({ AWSPREVIOUS: callbackVersion });
    const others = callbackFile(makeMerchant());
    const words = ["revoke", merchantId, "--current", "--callback-keys", others, "--yes"];
    const { code, out } = await setup.keys(...words);
    expect(code).toBe(0);
    expect(out).toContain("The previous callback keys are the leaked ones with another profile");
    const stages = await setup.stagesOf(callbackKeys);
    expect(Object.keys(stages)).toEqual(["AWSCURRENT"]);
    expect([leaked, callbackVersion]).not.toContain(stages["AWSCURRENT"]);
    expect(await setup.revokedOf(callbackKeys)).toEqual([leaked]);
  });

  test("needs new keys, and other ones", async () => {
    const merchant = await setup.setMerchant();
    const revoke = (...args: string[]) =>
      setup.keys("revoke", merchant.merchantId, "--current", ...args, "--yes");
    expect(await revoke()).toMatchObject({
      code: 2,
      err: expect.stringContaining("must have the files of the new keys with --current"),
    });
    expect(await revoke("--callback-keys", callbackFile(merchant.keys))).toMatchObject({
      code: 1,
      out: expect.stringContaining("a leaked version must be replaced by different keys"),
    });
  });
});

describe("keys restore", () => {
  test("shows both versions first, and goes back with --yes: the wrong version has no stage", async () => {
    const { merchantId, callbackKeys, current, previous } = await rotatedMerchant();
    const args = ["restore", merchantId];
    const shown = await setup.keys(...args);
    expect(shown.out).toMatch(new RegExp(`^callback +removed +${current} `, "m"));
    expect(shown.out).toMatch(new RegExp(`^callback +current +${previous} `, "m"));
    expect(shown.out).toContain("Nothing was changed.");
    expect((await setup.stagesOf(callbackKeys))["AWSCURRENT"]).toBe(current);
    const { code, out } = await setup.keys(...args, "--yes");
    expect(out).toContain(
      `The callback keys are changed. Versions now: current ${previous}, previous none.`,
    );
    expect(code).toBe(0);
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: previous });
    expect(JSON.parse(setup.auditLines().at(-1)!)).toMatchObject({
      act: "keys-restore",
      merchantId,
      currentVersions: [current],
      currentThen: [previous],
    });
  });

  test("run again does not bring the wrong keys back", async () => {
    const { merchantId, callbackKeys, previous } = await rotatedMerchant();
    await setup.keys("restore", merchantId, "--yes");
    expect(await setup.keys("restore", merchantId, "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("There is no previous version to restore"),
    });
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: previous });
  });

  test("takes only one secret back: which one must be said if both have a previous version", async () => {
    const merchant = await rotatedMerchant();
    const { merchantId, callbackKeys, requestKeys, requestVersion } = merchant;
    await setup.put(requestKeys, makeMerchant().requestSecret());
    const restored = await setup.keys("restore", merchantId, "--only", "request");
    expect(restored.out).toContain("The previous request keys are not proven: no payment is known");
    expect(restored.out).not.toMatch(/^callback /m);
    expect(await setup.keys("restore", merchantId, "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--only callback or --only request"),
    });
    await setup.keys("restore", merchantId, "--only", "request", "--yes");
    expect(await setup.stagesOf(requestKeys)).toEqual({ AWSCURRENT: requestVersion });
    expect((await setup.stagesOf(callbackKeys))["AWSCURRENT"]).toBe(merchant.current);
  });

  test("refuses previous callback keys whose time is over", async () => {
    const { merchantId } = await rotatedMerchant();
    const target = { ...(await setup.target()), previousKeysMilliseconds: 0 };
    await expect(restore.plan(target, { merchant: merchantId }, work)).rejects.toThrow(
      /^These callback keys cannot be used: Their time is over\. .* Set keys from files with "keys set"\.$/,
    );
  });

  test("of callback keys needs no right to read the request keys", async () => {
    const { merchantId, requestKeys, previous } = await rotatedMerchant();
    const { target, proxy } = await faultyTarget(operated);
    const error = { status: 400, type: "AccessDeniedException" };
    proxy.fail(({ input }) => input["SecretId"] === requestKeys, { kind: "refuse", error });
    const asked = { merchant: merchantId, only: "callback" };
    const { report } = await restore.plan(target, asked, work);
    expect(report.data).toMatchObject({
      changes: [{ kind: "callback", goal: { current: previous } }],
    });
  });

  test("replaces keys that are not valid, and does not go back to such keys", async () => {
    const { merchantId, callbackKeys, callbackVersion } = await setup.setMerchant();
    await setup.put(callbackKeys, "{}");
    expect((await setup.keys("restore", merchantId, "--yes")).code).toBe(0);
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: callbackVersion });
    await setup.put(callbackKeys, "{}");
    await setup.put(callbackKeys, makeMerchant().callbackSecret());
    expect(await setup.keys("restore", merchantId, "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("These callback keys cannot be used: "),
    });
  });

  test("refuses a version that was revoked, also if it was revoked after the preview", async () => {
    const { merchantId, callbackKeys, current } = await rotatedMerchant();
    const target = await setup.target();
    const { act } = await restore.plan(target, { merchant: merchantId }, work);
    await setup.keys("revoke", merchantId, "--previous", "--yes");
    expect(await setup.keys("restore", merchantId)).toMatchObject({ code: 2 });
    const report = await act(target, work);
    expect(report.isGood).toBe(false);
    expect(report.below?.join()).toContain("Another command changed the callback keys first");
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: current });
  });
});

/** A merchant whose keys were replaced twice: the first version has no stage any more. */
const twiceRotated = async () => {
  const merchant = await rotatedMerchant();
  const newest = await setup.put(merchant.callbackKeys, makeMerchant().callbackSecret());
  return { ...merchant, oldest: merchant.callbackVersion, newest };
};

describe("keys restore --version", () => {
  test("makes a version without a stage current again, by the beginning of its id", async () => {
    const { merchantId, callbackKeys, oldest, newest } = await twiceRotated();
    const args = ["restore", merchantId, "--version", oldest.slice(0, 8)];
    const shown = await setup.keys(...args);
    expect(shown.out).toMatch(new RegExp(`^callback +current +${oldest} `, "m"));
    expect(shown.out).toMatch(new RegExp(`^callback +removed +${newest} `, "m"));
    expect((await setup.keys(...args, "--yes")).code).toBe(0);
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: oldest });
  });

  test("of request keys asks the service with them", async () => {
    const { merchantId, requestKeys, requestVersion } = await setup.setMerchant();
    for (const _version of [1, 2]) await setup.put(requestKeys, makeMerchant().requestSecret());
    const { out } = await setup.keys("restore", merchantId, "--version", requestVersion, "--yes");
    expect(out).toContain("These request keys are not proven: no payment is known");
    expect(await setup.stagesOf(requestKeys)).toEqual({ AWSCURRENT: requestVersion });
  });

  test("refuses a version that was revoked, also after the preview", async () => {
    const { merchantId, callbackKeys, oldest, newest, current } = await twiceRotated();
    const target = await setup.target();
    const asked = { merchant: merchantId, version: oldest };
    const { act } = await restore.plan(target, asked, work);
    expect((await setup.keys("revoke", merchantId, "--version", oldest, "--yes")).code).toBe(0);
    expect(await setup.revokedOf(callbackKeys)).toEqual([oldest]);
    expect(await setup.keys("restore", merchantId, "--version", oldest, "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("This version of the callback keys was revoked"),
    });
    expect((await act(target, work)).isGood).toBe(false);
    expect(await setup.stagesOf(callbackKeys)).toEqual({
      AWSCURRENT: newest,
      AWSPREVIOUS: current,
    });
    expect((await setup.keys("check", merchantId)).out).toContain(
      `Revoked callback keys: ${oldest}.`,
    );
  });

  test.each([
    [
      "that is current already",
      "newest",
      "This is the current version of the callback keys already",
    ],
    ["whose value is gone", "oldest", "no longer has the value of this version"],
  ] as const)("refuses a version %s", async (_case, which, words) => {
    const merchant = await twiceRotated();
    const { target, proxy } = await faultyTarget(operated);
    const isOldest = ({ input }: { input: Record<string, unknown> }) =>
      input["VersionId"] === merchant.oldest;
    const error = { status: 400, type: "ResourceNotFoundException" };
    proxy.fail(isOldest, { kind: "refuse", error });
    const asked = { merchant: merchant.merchantId, version: merchant[which] };
    await expect(restore.plan(target, asked, work)).rejects.toThrow(words);
  });

  test("takes at least four characters of an id that Secrets Manager holds", async () => {
    const { merchantId, oldest } = await twiceRotated();
    for (const version of [oldest.slice(0, 3), "0000-no-such-version"]) {
      expect(await setup.keys("restore", merchantId, "--version", version)).toMatchObject({
        code: 2,
        err: expect.stringContaining("Secrets Manager holds no such version"),
      });
    }
    // With a command that works on the same stack.
    const target = { ...(await setup.target()), kind: "deployed" as const, name: "Paycast" };
    const asked = { merchant: merchantId, version: "0000-no-such-version" };
    const command = "npx paycast keys check --stack Paycast";
    await expect(restore.plan(target, asked, work)).rejects.toThrow(command);
  });
});

describe("the files of a revoked version", () => {
  test("are recognised by keys set, which stores them only with --force", async () => {
    const { merchantId, callbackKeys, keys, previous, current } = await rotatedMerchant();
    expect((await setup.keys("revoke", merchantId, "--previous", "--yes")).code).toBe(0);
    const file = ["--callback-keys", callbackFile(keys), "--yes"];
    const refused = await setup.keys("set", merchantId, ...file);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain(
      `Warning: The new callback keys are those of version ${previous}, which was revoked.`,
    );
    expect(refused.out).toContain("To do it anyway, add --force.");
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: current });
    expect((await setup.keys("set", merchantId, ...file, "--force")).code).toBe(0);
  });

  test("do not replace leaked keys", async () => {
    const { merchantId, callbackKeys, keys, current } = await rotatedMerchant();
    await setup.keys("revoke", merchantId, "--previous", "--yes");
    const file = ["--callback-keys", callbackFile(keys), "--yes"];
    expect(await setup.keys("revoke", merchantId, "--current", ...file)).toMatchObject({
      code: 2,
      err: expect.stringContaining("which was revoked"),
    });
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: current });
  });
});

describe("keys that take out the version that verifies", () => {
  const verified = async (merchantId: string, keyVersion: string, secondsAgo: number) => {
    const { clients, tables, now } = operated.target();
    const recordedAt = toRfc3339(now() - secondsAgo * 1_000);
    const names = { callbackKey: randomUUID(), receipt: "first", merchantId, keyVersion };
    const timeBucket = hourBucket(recordedAt, 0);
    await putItem(clients.dynamodb, tables.callbacks, { ...names, timeBucket, recordedAt });
  };
  const warning = (out: string) =>
    /^Warning: Version (\S+), which this change removes, .*$/m.exec(out);

  test("by revoke --previous, while the previous one alone verifies", async () => {
    const { merchantId, current, previous } = await rotatedMerchant();
    for (const secondsAgo of [1, 2]) await verified(merchantId, previous, secondsAgo);
    const { out } = await setup.keys("revoke", merchantId, "--previous");
    expect(warning(out)?.[1]).toBe(previous);
    expect(out).toMatch(
      new RegExp(`verified 2 of the last \\d+ .*version ${current} verified none of the last`),
    );
  });

  test("by restore, while the current one verifies the last callbacks", async () => {
    const { merchantId, current, previous } = await rotatedMerchant();
    for (const secondsAgo of [50, 60]) await verified(merchantId, previous, secondsAgo);
    await verified(merchantId, current, 1);
    const { out } = await setup.keys("restore", merchantId);
    expect(warning(out)?.[1]).toBe(current);
  });

  test("by finishing a replacement, which then needs --force", async () => {
    const { merchantId, callbackKeys, current } = await rotatedMerchant();
    const keys = makeMerchant();
    const stages = ["AWSCURRENT", "AWSPENDING"];
    const newest = await setup.put(callbackKeys, keys.callbackSecret(), stages);
    await verified(merchantId, current, 1);
    const words = ["revoke", merchantId, "--current", "--callback-keys", callbackFile(keys)];
    const refused = await setup.keys(...words, "--yes");
    expect(refused.code).toBe(1);
    expect(refused.out).toContain("The previous callback keys are still in use");
    expect(refused.out).toContain("To do it anyway, add --force.");
    expect(await setup.stagesOf(callbackKeys)).toMatchObject({ AWSPREVIOUS: current });
    expect((await setup.keys(...words, "--force", "--yes")).code).toBe(0);
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: newest });
  });

  test("say nothing of a version that the service has left", async () => {
    const { merchantId, current, previous } = await rotatedMerchant();
    await verified(merchantId, previous, 60);
    for (const secondsAgo of [1, 2]) await verified(merchantId, current, secondsAgo);
    const { out } = await setup.keys("revoke", merchantId, "--previous");
    expect(out).toContain(previous);
    expect(warning(out)).toBeNull();
  });
});
