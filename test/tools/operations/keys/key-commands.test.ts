import { expect, test } from "vitest";
import { makeMerchant } from "../../../builders/merchant.ts";
import { to } from "../../../integration/fault-proxy.ts";
import { writtenFile } from "../../cli/run-paycast.ts";
import { faultyTarget } from "../faulty-target.ts";
import { spawnPaycast } from "../spawn-paycast.ts";
import { useTarget } from "../use-target.ts";
import { callbackFile, keySetup } from "./key-setup.ts";

const operated = useTarget();
const setup = keySetup(operated);
const rawBytes = writtenFile(Buffer.from([0x30, 0x82, 0x01, 0xff]));

/** A merchant with two versions of callback keys. */
const rotatedMerchant = async () => {
  const merchant = await setup.setMerchant();
  const current = await setup.put(merchant.callbackKeys, makeMerchant().callbackSecret());
  return { ...merchant, current, previous: merchant.callbackVersion };
};

test.each([
  {
    words: ["set", "--callback-keys", callbackFile()],
    changed: { AWSCURRENT: "new", AWSPREVIOUS: "current" },
    revoked: [],
  },
  { words: ["restore"], changed: { AWSCURRENT: "previous" }, revoked: [] },
  { words: ["revoke", "--previous"], changed: { AWSCURRENT: "current" }, revoked: ["previous"] },
])("keys $words.0 shows what it would do, and does it only with --yes", async (command) => {
  const { merchantId, callbackKeys, keys, current, previous } = await rotatedMerchant();
  const [verb = "", ...options] = command.words;
  const named = (id: string) => ({ [current]: "current", [previous]: "previous" })[id] ?? "new";
  const stages = async () =>
    Object.fromEntries(
      Object.entries(await setup.stagesOf(callbackKeys)).map(([stage, id]) => [stage, named(id)]),
    );
  const shown = await setup.keys(verb, merchantId, ...options);
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("Nothing was changed.") });
  expect(await stages()).toEqual({ AWSCURRENT: "current", AWSPREVIOUS: "previous" });
  const { code, out, err } = await setup.keys(verb, merchantId, ...options, "--yes");
  expect(code).toBe(0);
  expect(out).toMatch(/Functions may use the old keys until \d{4}-\d\d-\d\dT\S+Z\./);
  expect(await stages()).toEqual(command.changed);
  expect((await setup.revokedOf(callbackKeys)).map(named)).toEqual(command.revoked);
  const line = setup.auditLines().at(-1)!;
  const { AWSCURRENT: currentThen, AWSPREVIOUS: previousThen = "none" } =
    await setup.stagesOf(callbackKeys);
  const isSet = verb === "set";
  expect(JSON.parse(line)).toMatchObject({
    act: `keys-${verb}`,
    merchantId,
    secrets: [callbackKeys],
    newVersions: [isSet ? currentThen : "none"],
    currentVersions: [current],
    previousVersions: [previous],
    currentThen: [currentThen],
    previousThen: [previousThen],
    fingerprints: [isSet ? expect.stringMatching(/^([0-9a-f]{2}:){11}[0-9a-f]{2}$/) : "none"],
  });
  const stored = await setup.textOf(callbackKeys);
  for (const text of [out, err, line]) {
    for (const secret of [keys.callbackSecret(), stored]) {
      expect(text).not.toContain(JSON.parse(secret).aesKey);
    }
  }
});

test("the first keys are used at once, and nothing is said of old ones", async () => {
  const { merchantId } = await setup.newMerchant();
  const args = ["set", merchantId, "--callback-keys", callbackFile(), "--yes"];
  const { code, out } = await setup.keys(...args);
  expect(code).toBe(0);
  expect(out).toContain("Functions use them from the next request on.\n");
  expect(out).not.toContain("old keys");
});

test("parts for both secrets come from files as other tools write them, and keys check finds them good", async () => {
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

test("a command that is killed in the middle leaves the keys of before in place", async () => {
  const merchant = await setup.setMerchant();
  const { AWSPENDING, ...before } = await setup.stagesOf(merchant.callbackKeys);
  expect(AWSPENDING).toBeUndefined();
  let kill = () => {};
  const { directory, proxy } = await faultyTarget(operated, () => kill());
  proxy.fail(to("secretsmanager", "UpdateSecretVersionStage"), { kind: "die-before" });
  const args = ["keys", "set", merchant.merchantId, "--callback-keys", callbackFile(), "--yes"];
  const { child, ended } = spawnPaycast(directory, ...args);
  kill = () => void child.kill("SIGKILL");
  expect((await ended).code).toBeNull();
  const { AWSPENDING: pending, ...after } = await setup.stagesOf(merchant.callbackKeys);
  expect({ pending: typeof pending, ...after }).toEqual({ pending: "string", ...before });
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
  [["revoke", "shop-1", "--current"], "must have the files of the new keys with --current"],
  [["rotate", "shop-1"], "check, set, restore, revoke"],
])("%j is wrong usage", async (args, message) => {
  expect(await setup.keys(...args)).toMatchObject({
    code: 2,
    err: expect.stringContaining(message),
  });
});
