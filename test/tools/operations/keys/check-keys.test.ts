import { describe, expect, test } from "vitest";
import { keyChecks } from "../../../../tools/operations/check/key-checks.ts";
import type { Look } from "../../../../tools/operations/described/description.ts";
import { checkKeys } from "../../../../tools/operations/keys/check-keys.ts";
import { keys } from "../../../../tools/operations/keys/keys.ts";
import { revoke } from "../../../../tools/operations/keys/restore-and-revoke.ts";
import { set } from "../../../../tools/operations/keys/set-keys.ts";
import {
  countWith,
  firstMinuteOf,
  type ReadMetrics,
} from "../../../../tools/operations/ports/metrics.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import { inspectKeys } from "../../../../tools/operations/secrets/inspect-keys.ts";
import { makeMerchant } from "../../../builders/merchant.ts";
import {
  awsDenied,
  idOf,
  memoryMerchant,
  secretWith,
  shownText,
  textOf,
} from "./memory-merchant.ts";
import type { ModelSecret } from "./stage-model.ts";

const work = { stopped: new AbortController().signal, tell: () => undefined };
const [current, previous, held] = [idOf("current"), idOf("previous"), idOf("held")];
const once = secretWith({ current: "A" });
const rotated = secretWith({ current: "B", previous: "A" });
const look = keys.operations[0] as Look;

const checked = async (target: Target) => (await checkKeys(target)).merchants[0]!;
const verdictsOf = async (target: Target) => {
  const context = { now: target.clock.now, fetch, commandVersion: "1", limitMilliseconds: 60_000 };
  return (await Promise.all(keyChecks(target).map(({ run }) => run(target, context)))).flat();
};

test.each<[string, Parameters<typeof memoryMerchant>[0], RegExp[]]>([
  ["are not set", {}, [/^The callback keys are not set\.$/, /^The request keys are not set\.$/]],
  [
    "are not valid, with the field",
    { callback: secretWith({ current: "broken", previous: "A" }), request: once },
    [/^The current callback keys are not valid\. The secret's aesKey must be/],
  ],
])("keys that %s are a problem", async (_case, models, problems) => {
  const { target } = memoryMerchant(models, { hasService: true });
  const found = await checked(target);
  expect(found.problems).toEqual(problems.map((words) => expect.stringMatching(words)));
  expect(found.warnings).toEqual([]);
  expect((await look.look(target, {}, work)).isGood).toBe(false);
});

test.each([true, false])(
  "the command that sets keys names a private key: %s",
  async (hasService) => {
    const { target } = memoryMerchant({}, { hasService });
    const [verdict] = await verdictsOf(target);
    expect(verdict?.action?.includes(" --merchant-private-key FILE ")).toBe(hasService);
  },
);

test.each<[string, ModelSecret, ModelSecret?]>([
  ["Callback keys and request keys have a different AES key.", once, secretWith({ current: "B" })],
  [
    "Callback keys and request keys have a different wire profile.",
    once,
    secretWith({ current: "A, other profile" }),
  ],
  [
    "New callback keys were put in as AWSPENDING and never made current",
    secretWith({ current: "A", pending: "C" }),
  ],
  [
    "The previous callback keys are newer than the current ones: a command was stopped before it took them out.",
    secretWith({ current: "A", previous: "B" }, { isTurnedBack: true }),
  ],
  [
    "The current callback keys were revoked, and are still in use.",
    secretWith({ current: "A" }, { revoked: ["current"] }),
  ],
  [
    "The previous callback keys were revoked, and still have their stage: a command was stopped.",
    secretWith({ current: "A", previous: "B" }, { revoked: ["previous"] }),
  ],
  [
    "The previous callback keys are not valid and verify nothing.",
    secretWith({ current: "A", previous: "broken" }),
  ],
])("a warning: %s", async (words, callback, request = once) => {
  const { problems, warnings } = await checked(memoryMerchant({ callback, request }).target);
  expect(warnings).toEqual([expect.stringContaining(words)]);
  expect(problems).toEqual([]);
});

describe("callbacks that the current keys do not verify", () => {
  const isLost = `Version ${held} verified 1 of the last 1 callback, and is neither current nor previous.`;
  const restoreHeld = `restore M1 --only callback --version ${held}`;
  const isOver = secretWith({ current: "B", previous: "C", held: "A" }, { isOver: true });

  test.each<[string, ModelSecret, readonly string[], string, string]>([
    [
      "are of a version without a stage",
      secretWith({ current: "B", previous: "C", held: "A" }),
      [held],
      isLost,
      restoreHeld,
    ],
    ["are of such a version, and the previous keys are over", isOver, [held], isLost, restoreHeld],
    [
      "are of the same keys under another profile",
      secretWith({ current: "A, other profile", held: "A" }),
      [held],
      isLost,
      restoreHeld,
    ],
    [
      "are of a version that is gone",
      rotated,
      ["deleted"],
      "Version deleted verified 1 of the last 1 callback, and Secrets Manager no longer holds it. Unless the current keys are the same, or the service has changed its key",
      "--correct",
    ],
    [
      "are of the previous keys, a day after the change",
      rotated,
      [previous, previous, previous],
      "verified none of the last callbacks; the previous ones verified 3 of the last 3 callbacks.",
      "restore M1 --only callback",
    ],
  ])("%s", async (_case, callback, verified, words, action) => {
    const { target } = memoryMerchant({ callback, request: once }, { verified, madeHoursAgo: 25 });
    const [verdict] = await verdictsOf(target);
    expect(verdict).toMatchObject({ status: "warning" });
    expect(verdict).toHaveProperty("message", expect.stringContaining(words));
    expect(verdict).toHaveProperty("action", expect.stringContaining(action));
    expect((await checked(target)).warnings).toContainEqual(expect.stringContaining(words));
  });

  test.each<[string, ModelSecret, number, object]>([
    ["current", secretWith({ current: "A", held: "A" }), 0, { versionId: current }],
    [
      "previous",
      secretWith({ current: "B", previous: "A", held: "A" }),
      1,
      { versionId: previous, retirement: "in-use" },
    ],
  ])(
    "are none, if the same keys are %s: that is its use",
    async (_case, callback, index, version) => {
      const models = { callback, request: secretWith({ current: callback.current!.content }) };
      const { target } = memoryMerchant(models, { verified: [held] });
      const { secrets, warnings } = await checked(target);
      expect(warnings).toEqual([]);
      const lastUsedAt = "2026-11-17T09:29:59.000Z";
      const used = { ...version, timesUsed: 1, lastUsedAt };
      expect(secrets[0]!.versions[index]).toMatchObject(used);
      expect((await verdictsOf(target))[0]).toMatchObject({ status: "ok" });
    },
  );
});

describe("if every callback is rejected", () => {
  /** The last one was accepted half an hour ago, by a version whose keys are now current under another id. */
  const rejecting = () => {
    const callback = secretWith({ current: "A", held: "A" });
    const { target } = memoryMerchant({ callback }, { verified: [held], madeHoursAgo: 1 });
    const count: ReadMetrics = async (_metrics, range) =>
      countWith(range, firstMinuteOf(range, target.clock.now()), ({ name }) => {
        const minutesAgo = name === "Accepted" ? 30 : 1;
        const step = range.steps - 1 - Math.floor(minutesAgo / range.stepMinutes);
        return Array.from({ length: range.steps }, (_item, index) => (index === step ? 3 : 0));
      });
    return { ...target, metrics: { ...target.metrics, count } };
  };

  test("the check says that these keys are still current", async () => {
    const [verdict] = await verdictsOf(rejecting());
    const words = `1 callback before that was verified by the keys of version ${current}, which is still current.`;
    expect(verdict).toMatchObject({
      status: "problem",
      message: expect.stringContaining(words),
    });
  });

  test("somebody who may read no key learns that they may be current", async () => {
    const target = rejecting();
    const read = () => Promise.reject(awsDenied);
    const [verdict] = await verdictsOf({ ...target, keys: { ...target.keys, read } });
    const words = `version ${held}, which is neither .* unless the current ones are the same \\(you may not`;
    expect(verdict).toMatchObject({
      status: "problem",
      message: expect.stringMatching(words),
      action: expect.stringContaining(`--version ${held}`),
    });
  });
});

describe("what an operator may not read", () => {
  test("is a plain line, and the rest is reported", async () => {
    const { target } = memoryMerchant({ callback: once, request: once }, { hasService: true });
    const read: Target["keys"]["read"] = (secretId, versionId) =>
      secretId === "request" ? Promise.reject(awsDenied) : target.keys.read(secretId, versionId);
    const found = await checked({ ...target, keys: { ...target.keys, read } });
    expect(found).toMatchObject({
      problems: [],
      secrets: [
        { kind: "callback", versions: [{ stage: "current" }] },
        { kind: "request", versions: [], unread: expect.stringContaining("AWS denied a call") },
      ],
    });
    expect(found.proof).toBeUndefined();
  });

  test("is no problem of the deployment", async () => {
    const { target } = memoryMerchant({ callback: once, request: once });
    const read = () => Promise.reject(awsDenied);
    const message = expect.stringMatching(/^not checked\. AWS denied a call/);
    const unread = { status: "ok", message };
    const denied = { ...target, keys: { ...target.keys, read } };
    expect(await verdictsOf(denied)).toEqual([unread, unread]);
  });

  test("are the records: then the use is not known, and the keys can be changed with --force", async () => {
    const { target } = memoryMerchant({ callback: rotated });
    const { records } = target;
    const send = () => Promise.reject(awsDenied);
    const client = { send } as unknown as typeof records.database.client;
    const database = { ...records.database, client };
    const blind = { ...target, records: { ...records, database } };
    const asked = { merchant: "M1", callbackKeys: textOf("new", "callback") };
    const refused = await set.plan(blind, asked, work);
    expect(refused.yes).toBeUndefined();
    expect(refused.report.below).toContainEqual(
      expect.stringMatching(/^Warning: Whether the previous .* is not known\. AWS denied a call/),
    );
    expect((await set.plan(blind, { ...asked, force: true }, work)).yes).toBe("Store");
    const problem = expect.stringContaining("AWS denied");
    const { report } = await revoke.plan(blind, { merchant: "M1", previous: true }, work);
    expect(report.data).toMatchObject({ problem });
    const { looked, merchants } = await checkKeys(blind);
    expect(looked).toMatchObject({ callbacks: 0, problem });
    const [, unknown] = merchants[0]!.secrets[0]!.versions;
    expect(unknown).toMatchObject({ isUseUnknown: true, retirement: undefined });
    expect(await textFor(blind)).toMatch(/last used +not known$/m);
  });
});

/** What `keys check` prints. */
const textFor = async (target: Target) => shownText(await look.look(target, {}, work));

test("each version is shown with its fingerprints and its use", async () => {
  const models = { callback: rotated, request: secretWith({ current: "B" }) };
  const surroundings = { verified: [current, previous], hasService: true };
  const text = await textFor(memoryMerchant(models, surroundings).target);
  expect(text.replace(/fingerprint [0-9a-f]{8}$/m, "fingerprint …")).toContain(
    `callback keys, current: valid, tried
  version current
  created 2026-11-17T09:29:59Z (0 s ago)
  last used 2026-11-17T09:29:59Z (1 s ago)
  verified 1 of the last 2 callbacks
  RSA key 2048 bits, SHA-256 5a:02:b8:c9:d6:aa:81:4a:76:20:34:93
  AES key 256 bits, fingerprint …
  profile the default
`,
  );
  expect(text).toMatch(/^Read the last 2 callbacks of all merchants, since \S+Z\.$/m);
  expect(text).toContain("The request keys are not proven: no payment is known to query.\n");
  expect(text).toContain("The keys are good.\n");
});

test("one AES key has one fingerprint in both secrets, and another one for another merchant", () => {
  const printOf = (kind: "callback" | "request", merchantId: string) =>
    inspectKeys(kind, merchantId, textOf("A", kind)).keys?.facts.aesFingerprint;
  const print = printOf("callback", "M1");
  expect(print).toMatch(/^[0-9a-f]{8}$/);
  expect(printOf("request", "M1")).toBe(print);
  expect(printOf("callback", "M2")).not.toBe(print);
});

test("no key and no fixed IV is shown, in text and in JSON", async () => {
  const fixedIv = "00112233445566778899aabbccddeeff";
  const merchant = makeMerchant({ profile: { iv: "fixed", fixedIv } });
  const { target, secrets } = memoryMerchant({ callback: once, request: once });
  secrets.callback.versions[0]!.value.SecretString = merchant.callbackSecret();
  secrets.request.versions[0]!.value.SecretString = merchant.requestSecret();
  const { aesKey, merchantPrivateKey } = JSON.parse(merchant.requestSecret());
  const json = JSON.stringify((await look.look(target, {}, work)).data);
  for (const shown of [await textFor(target), json]) {
    expect(shown).toContain("(set)");
    for (const secret of [aesKey, fixedIv, merchantPrivateKey.split("\n")[1]]) {
      expect(shown).not.toContain(secret);
    }
  }
});
