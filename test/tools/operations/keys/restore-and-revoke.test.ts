import { describe, expect, test } from "vitest";
import { changeKeys } from "../../../../tools/operations/keys/change-keys.ts";
import { restore, revoke } from "../../../../tools/operations/keys/restore-and-revoke.ts";
import { planNewKeys } from "../../../../tools/operations/keys/set-keys.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
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
      new RegExp(`^callback +taken out +${previous} .* none, since no callback was recorded`, "m"),
    );
    expect(shown.out).toContain("Nothing was changed.");
    expect((await setup.stagesOf(callbackKeys))["AWSPREVIOUS"]).toBe(previous);
    const { code, out } = await setup.keys(...args, "--yes");
    expect(out).toContain(`Versions now: current ${current}, previous none.`);
    expect(out).toContain("for up to 5 minutes more");
    expect(code).toBe(0);
    expect(await setup.stagesOf(callbackKeys)).toEqual({ AWSCURRENT: current });
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
      `Another command changed the callback keys first, so yours did not. Versions now: current ${newest}, previous ${current}. Look with "keys check", then decide.`,
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
      out: expect.stringContaining("a leaked version is replaced by other keys"),
    });
  });
});

describe("keys restore", () => {
  test("shows both versions first, and goes back with --yes: the wrong version has no stage", async () => {
    const { merchantId, callbackKeys, current, previous } = await rotatedMerchant();
    const args = ["restore", merchantId];
    const shown = await setup.keys(...args);
    expect(shown.out).toMatch(new RegExp(`^callback +taken out +${current} `, "m"));
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
      err: expect.stringContaining("There is no previous version to go back to"),
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
      /^The previous callback keys cannot be used: Their time is over\. .* Set keys from files with "keys set"\.$/,
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
      err: expect.stringContaining("The previous callback keys cannot be used: "),
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
