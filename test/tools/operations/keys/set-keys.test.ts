import { describe, expect, test } from "vitest";
import { changeKeys } from "../../../../tools/operations/keys/apply-stages.ts";
import { planNewKeys } from "../../../../tools/operations/keys/set-keys.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { useOperatedStack } from "../operated-stack.ts";
import { callbackFile, keySetup, requestFile } from "./key-setup.ts";

const operated = useOperatedStack();
const setup = keySetup(operated);
const rawBytes = writtenFile(Buffer.from([0x30, 0x82, 0x01, 0xff]));

describe("keys set", () => {
  test("shows what it would do, and does it only with --yes", async () => {
    const { merchantId, callbackKeys } = await setup.newMerchant();
    const args = ["set", merchantId, "--callback-keys", callbackFile()];
    const shown = await setup.keys(...args);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/^callback +current +[0-9a-f-]{36} +now /m);
    expect(shown.out).toContain("Nothing was changed.");
    expect(await setup.stagesOf(callbackKeys)).toEqual({});
    const stored = await setup.keys(...args, "--yes");
    expect(stored.code).toBe(0);
    expect(stored.out).toContain("Functions use them from the next request on.\n");
    expect(stored.out).not.toContain("old keys");
    expect(Object.keys(await setup.stagesOf(callbackKeys))).toEqual(["AWSCURRENT"]);
  });

  test("takes parts for both secrets from files as other tools write them, and keys check finds them good", async () => {
    const merchant = await setup.newMerchant();
    const keys = makeMerchant();
    const { aesKey, servicePublicKey } = JSON.parse(keys.callbackSecret());
    const { merchantPrivateKey } = JSON.parse(keys.requestSecret());
    const ofWindows = `\uFEFF${servicePublicKey.replaceAll("\n", "\r\n")}`;
    const files = [
      "--aes-key",
      writtenFile(`${aesKey}\n`),
      "--service-public-key",
      writtenFile(ofWindows),
      "--merchant-private-key",
      writtenFile(merchantPrivateKey),
    ];
    const stored = await setup.keys("set", merchant.merchantId, ...files, "--yes");
    expect(stored).toMatchObject({ code: 0, err: "Target: the local stack\n" });
    const { code, out } = await setup.keys("check", merchant.merchantId);
    expect(out).toContain("callback keys, current: valid, tried");
    expect(out).toContain("request keys, current: valid, tried");
    expect({ code, warned: out.includes("Warning") }).toEqual({ code: 0, warned: false });
    expect(JSON.parse(await setup.textOf(merchant.requestKeys))).toEqual({
      aesKey,
      merchantPrivateKey: merchantPrivateKey.trimEnd(),
    });
  });

  test("of the keys that are there already stores nothing: it would push the previous version out", async () => {
    const merchant = await setup.setMerchant();
    const before = await setup.stagesOf(merchant.callbackKeys);
    const file = callbackFile(merchant.keys);
    const run = await setup.keys("set", merchant.merchantId, "--callback-keys", file, "--yes");
    expect(run).toMatchObject({ code: 0, out: expect.stringContaining("already has these") });
    expect(await setup.stagesOf(merchant.callbackKeys)).toEqual(before);
  });

  test("leaves an audit line with ids and fingerprints, and no key in any output", async () => {
    const merchant = await setup.setMerchant();
    const keys = makeMerchant();
    const args = [
      "set",
      merchant.merchantId,
      "--callback-keys",
      callbackFile(keys),
      "--request-keys",
      requestFile(keys),
      "--yes",
      "--unproven",
      "--json",
    ];
    const { out, err } = await setup.keys(...args);
    const line = setup.auditLines().at(-1)!;
    const { CallbackVersion, ...audited } = {
      CallbackVersion: merchant.callbackVersion,
      ...JSON.parse(line),
    };
    expect(audited).toMatchObject({
      act: "keys-set",
      merchantId: merchant.merchantId,
      secrets: [merchant.callbackKeys, merchant.requestKeys],
      currentVersions: [CallbackVersion, merchant.requestVersion],
      newVersions: JSON.parse(out).changes.map((change: { versionId: string }) => change.versionId),
      fingerprints: [expect.stringMatching(/^([0-9a-f]{2}:){11}[0-9a-f]{2}$/), expect.any(String)],
    });
    const { aesKey, merchantPrivateKey } = JSON.parse(keys.requestSecret());
    for (const text of [out, err, line]) {
      expect(text).not.toContain(aesKey);
      expect(text).not.toContain(merchantPrivateKey.split("\n")[1]);
    }
  });

  test("changes nothing if the audit line cannot be written", async () => {
    const merchant = await setup.setMerchant();
    const before = await setup.stagesOf(merchant.callbackKeys);
    const target = await setup.target();
    const given = { callbackKeys: makeMerchant().callbackSecret() };
    const { changes } = await planNewKeys(target, "set", {
      merchant: merchant.merchantId,
      ...given,
    });
    const audit = () => Promise.reject(new Error("no space left"));
    await expect(changeKeys({ ...target, audit }, "set", changes)).rejects.toThrow("no space left");
    expect(await setup.stagesOf(merchant.callbackKeys)).toEqual(before);
  });

  test("keeps the parts that are not given, and a new AES key goes into both secrets", async () => {
    const merchant = await setup.setMerchant();
    const { aesKey } = JSON.parse(makeMerchant().callbackSecret());
    const target = await setup.target();
    const asked = { merchant: merchant.merchantId, aesKey };
    await changeKeys(target, "set", (await planNewKeys(target, "set", asked)).changes);
    for (const [secretId, before] of [
      [merchant.callbackKeys, merchant.keys.callbackSecret()],
      [merchant.requestKeys, merchant.keys.requestSecret()],
    ] as const) {
      expect(JSON.parse(await setup.textOf(secretId))).toEqual({ ...JSON.parse(before), aesKey });
    }
  });
});

describe("a current version that is wrong", () => {
  const brokenMerchant = async () => {
    const merchant = await setup.setMerchant();
    const broken = await setup.put(merchant.callbackKeys, '{"aesKey":"short"}');
    return { ...merchant, good: merchant.callbackVersion, broken };
  };

  test("and does not parse is replaced, and the good previous one stays", async () => {
    const { merchantId, callbackKeys, good } = await brokenMerchant();
    const args = ["set", merchantId, "--callback-keys", callbackFile(), "--yes"];
    const { code, out } = await setup.keys(...args);
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^callback +previous, until \\S+ +${good} `, "m")),
    });
    const stages = await setup.stagesOf(callbackKeys);
    expect(Object.keys(stages).sort()).toEqual(["AWSCURRENT", "AWSPREVIOUS"]);
    expect(stages["AWSPREVIOUS"]).toBe(good);
  });

  test("and parses is replaced in the same way with --correct, in both secrets", async () => {
    const merchant = await setup.setMerchant();
    const wrong = makeMerchant();
    await setup.put(merchant.callbackKeys, wrong.callbackSecret());
    await setup.put(merchant.requestKeys, wrong.requestSecret());
    const right = makeMerchant();
    const files = ["--callback-keys", callbackFile(right), "--request-keys", requestFile(right)];
    await setup.keys("set", merchant.merchantId, ...files, "--correct", "--yes");
    for (const [secretId, previous, text] of [
      [merchant.callbackKeys, merchant.callbackVersion, right.callbackSecret()],
      [merchant.requestKeys, merchant.requestVersion, right.requestSecret()],
    ] as const) {
      expect((await setup.stagesOf(secretId))["AWSPREVIOUS"]).toBe(previous);
      expect(JSON.parse(await setup.textOf(secretId))).toEqual(JSON.parse(text));
    }
  });

  test("and is the only one is taken out without a trace among the stages", async () => {
    const { merchantId, callbackKeys } = await setup.newMerchant();
    await setup.put(callbackKeys, "not JSON");
    await setup.keys("set", merchantId, "--callback-keys", callbackFile(), "--yes");
    expect(Object.keys(await setup.stagesOf(callbackKeys))).toEqual(["AWSCURRENT"]);
  });

  test("does not bring a previous version back whose time is over", async () => {
    const { merchantId } = await brokenMerchant();
    const target = await setup.target();
    const given = { callbackKeys: makeMerchant().callbackSecret() };
    const isKeptFor = async (previousKeysMilliseconds: number) => {
      const timed = { ...target, previousKeysMilliseconds };
      const { changes } = await planNewKeys(timed, "set", { merchant: merchantId, ...given });
      return changes[0]!.goal.previous !== undefined;
    };
    expect(await isKeptFor(3_600_000)).toBe(true);
    expect(await isKeptFor(0)).toBe(false);
  });
});

test("keys set rotates: the old keys are the previous version, and the preview says until when both verify", async () => {
  const merchant = await setup.setMerchant();
  const args = ["set", merchant.merchantId, "--callback-keys", callbackFile(), "--yes"];
  const { code, out } = await setup.keys(...args);
  const { callbackVersion: old } = merchant;
  expect(out).toMatch(
    new RegExp(
      `^callback +previous, until \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ +${old} `,
      "m",
    ),
  );
  expect(out).toMatch(/Functions may use the old keys until \d{4}-\d\d-\d\dT\S+Z\./);
  expect(code).toBe(0);
  expect(await setup.stagesOf(merchant.callbackKeys)).toEqual({
    AWSCURRENT: expect.not.stringMatching(old),
    AWSPREVIOUS: old,
  });
});

test("keys revoke --current of keys that were never set, or with the same keys and another profile, is refused", async () => {
  const { merchantId } = await setup.newMerchant();
  const asked = { merchant: merchantId, callbackKeys: makeMerchant().callbackSecret() };
  await expect(planNewKeys(await setup.target(), "revoke", asked)).rejects.toThrow(
    'Use "keys set".',
  );
  const merchant = await setup.setMerchant();
  const { aesKey, servicePublicKey } = JSON.parse(merchant.keys.callbackSecret());
  const profile = { signatureHash: "SHA-512" };
  const callbackKeys = JSON.stringify({ aesKey, servicePublicKey, profile });
  await expect(
    planNewKeys(await setup.target(), "revoke", { merchant: merchant.merchantId, callbackKeys }),
  ).rejects.toThrow('Use "keys set --correct"');
});

test.each([
  [[], "Choose an operation: check, set, restore, revoke."],
  [["set"], "Give MERCHANT."],
  [["set", "shop-1"], "The command must have the files of the keys"],
  [
    ["set", "shop-1", "--callback-keys", callbackFile(), "--aes-key", callbackFile()],
    "must have no options for single parts beside",
  ],
  [["set", "shop-1", "--aes-key", "/no/such/file"], "there is no such file"],
  [["set", "shop-1", "--aes-key", writtenFile("")], "is empty"],
  [["set", "shop-1", "--aes-key", rawBytes], 'convert it with "openssl base64 -A"'],
  [["set", "shop-1", "--aes-key", writtenFile("short")], "aesKey must be"],
  [["set", "nobody", "--callback-keys", callbackFile()], "no such merchant. It has: shop-1"],
  [["rotate", "shop-1"], "check, set, restore, revoke"],
])("%j is wrong usage", async (args, message) => {
  expect(await setup.keys(...args)).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
});
