import { describe, expect, test } from "vitest";
import { restore, revoke } from "../../../../tools/operations/keys/restore-and-revoke.ts";
import { set } from "../../../../tools/operations/keys/set-keys.ts";
import type { Keys } from "../../../../tools/operations/ports/keys.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";
import {
  awsDenied,
  idOf,
  memoryMerchant,
  secretWith,
  shownText,
  textOf,
  withoutIdEnds,
} from "./memory-merchant.ts";
import type { Content, ModelSecret, Place } from "./stage-model.ts";

const work = { stopped: new AbortController().signal, tell: () => undefined };
const operations = { set, restore, revoke };

/** The callback keys were rotated from A to B. */
const rotated = secretWith({ current: "B", previous: "A" });
const once = secretWith({ current: "A" });
const twice = secretWith({ current: "A", previous: "A" });
const withHeld = secretWith({ current: "B", previous: "A", held: "C" });
const withRevoked = { ...withHeld, revoked: [idOf("held")] };
const bothRotated = { callback: rotated, request: rotated };

/** What an operator gives, in short. */
interface Asked {
  readonly verb: keyof typeof operations;
  readonly keys?: Content;
  readonly version?: Place;
  readonly [flag: string]: unknown;
}

async function planned(target: Target, { verb, keys, version, ...flags }: Asked) {
  const asked = {
    ...flags,
    merchant: "M1",
    ...(keys && { callbackKeys: textOf(keys, "callback") }),
    ...(version && { version: idOf(version) }),
  };
  return await operations[verb].plan(target, asked, work).catch((error: Error) => {
    throw new Error(withoutIdEnds(error.message));
  });
}

/** What an operator reads before anything is done. */
async function preview(
  asked: Asked,
  secrets: ModelSecret | typeof bothRotated,
  verified: readonly Place[] = [],
) {
  const models = "revoked" in secrets ? { callback: secrets } : secrets;
  const { target } = memoryMerchant(models, { verified: verified.map(idOf) });
  const { report, yes } = await planned(target, asked);
  return { text: shownText(report), yes };
}

describe("a change that cannot be made says why, and what can be done", () => {
  const fromFiles = 'Set keys from files with "keys set".';
  const leaked = { verb: "revoke", current: true } as const;
  const isOver = { ...rotated, isOver: true };

  test.each<[string, Asked, ModelSecret | typeof bothRotated]>([
    ["There is no previous version to restore: there never was one", { verb: "restore" }, once],
    [`These callback keys cannot be used: Their time is over.`, { verb: "restore" }, isOver],
    [`They are not restored. ${fromFiles}`, { verb: "restore" }, isOver],
    [
      "These callback keys cannot be used: The secret's aesKey must be a string",
      { verb: "restore" },
      secretWith({ current: "A", previous: "broken" }),
    ],
    ["Choose one: --only callback or --only request.", { verb: "restore" }, bothRotated],
    ["This is the current version", { verb: "restore", version: "current" }, rotated],
    [
      "This version of the callback keys was revoked, so it is never used again.",
      { verb: "restore", version: "held" },
      withRevoked,
    ],
    [
      "These callback keys are those of version held, which was revoked.",
      { verb: "restore" },
      secretWith({ current: "B", previous: "A", held: "A" }, { revoked: ["held"] }),
    ],
    ["there is nothing to revoke", { verb: "revoke", previous: true }, once],
    [
      'It can only be replaced: "keys revoke --current" with the files of the new keys.',
      { verb: "revoke", version: "current" },
      rotated,
    ],
    [
      "The current callback keys are not valid, so the previous ones are the only ones that work.",
      { verb: "revoke", previous: true },
      secretWith({ current: "broken", previous: "A" }),
    ],
    ["there are none to replace", { ...leaked, keys: "new" }, secretWith({})],
    ['Use "keys set --correct"', { ...leaked, keys: "A, other profile" }, once],
    [
      "The new callback keys are those of version held, which was revoked.",
      { ...leaked, force: true, keys: "C" },
      withRevoked,
    ],
  ])("%s", async (words, asked, secrets) => {
    await expect(preview(asked, secrets)).rejects.toThrow(words);
  });

  test.each([
    ["cur", rotated, "Secrets Manager holds no such version of this merchant's keys"],
    ["none such", rotated, "List the versions: npx paycast keys check --stack Paycast"],
    ["prev", bothRotated, "Several versions begin with this. Give more characters."],
  ])("a version that is named %s", async (version, secrets, words) => {
    const { target } = memoryMerchant("revoked" in secrets ? { callback: secrets } : secrets);
    const stack = { ...target.stack, kind: "deployed" as const, name: "Paycast" };
    const restored = restore.plan({ ...target, stack }, { merchant: "M1", version }, work);
    await expect(restored).rejects.toThrow(words);
  });

  test("a version whose value is gone", async () => {
    const { target } = memoryMerchant({ callback: rotated });
    const keys = { ...target.keys, read: async () => undefined };
    const restored = planned({ ...target, keys }, { verb: "restore", version: "previous" });
    await expect(restored).rejects.toThrow("no longer has the value of this version");
  });
});

describe("a preview says", () => {
  const force = "Nothing was changed. To do it anyway, add --force.";
  const leaked = { verb: "revoke", current: true } as const;
  const revokesPrevious = { verb: "revoke", previous: true } as const;

  test.each<[string, Asked, ModelSecret, Place[], string | undefined, string[]]>([
    [
      "that these keys are there already",
      { verb: "set", keys: "A" },
      once,
      [],
      undefined,
      ["M1 already has these callback keys."],
    ],
    [
      "until when the version of before verifies",
      { verb: "set", keys: "new" },
      rotated,
      [],
      "Store",
      ["callback previous, until 2026-11-20T09:30:00Z current ", "callback removed previous "],
    ],
    [
      "that new keys were revoked",
      { verb: "set", keys: "A, other profile" },
      secretWith({ current: "B", held: "A" }, { revoked: ["held"] }),
      [],
      undefined,
      ["Warning: The new callback keys are those of version held, which was revoked.", force],
    ],
    [
      "that keys in use would be pushed out",
      { verb: "set", keys: "new" },
      rotated,
      ["current", "previous"],
      undefined,
      [
        "Warning: The previous callback keys are still in use: they verified 1 of the last 2 callbacks, the last at 2026-11-17T09:29:58Z. This change removes them",
        force,
      ],
    ],
    [
      "that new keys are the previous ones, which stay in use",
      { verb: "set", keys: "A" },
      rotated,
      ["previous"],
      "Store",
      ["The new callback keys are those of the previous version: this goes back to them."],
    ],
    [
      "that a correction keeps the previous ones, which are in use",
      { verb: "set", correct: true, keys: "new" },
      rotated,
      ["previous"],
      "Store",
      ["callback previous, until 2026-11-20T09:30:00Z previous "],
    ],
    [
      "that leaked keys need others",
      { ...leaked, keys: "A" },
      once,
      [],
      undefined,
      ["Nothing was changed: a leaked version must be replaced by different keys."],
    ],
    [
      "that the version before has the leaked keys, too",
      { ...leaked, keys: "new" },
      secretWith({ current: "A", previous: "A, other profile" }),
      ["previous"],
      "Store",
      ["Warning: The previous callback keys are the leaked ones with another profile"],
    ],
    [
      "that a stopped replacement takes out keys in use",
      { ...leaked, keys: "B" },
      { ...rotated, pending: rotated.current },
      ["previous"],
      undefined,
      ["Warning: The previous callback keys are still in use", force],
    ],
    [
      "which keys become current, which are removed, and what they verified",
      { verb: "restore" },
      rotated,
      ["current", "previous", "previous"],
      "Go back",
      [
        "callback removed current ",
        "callback current previous ",
        " 2 of the last 3 callbacks",
        "Warning: Version current, which this change removes, verified 1 of the last 3 callbacks",
      ],
    ],
    [
      "that restored keys verified nothing, and which ones did",
      { verb: "restore" },
      withHeld,
      ["held"],
      "Go back",
      [
        "Warning: The version that becomes current verified none of the last 1 callback. Version held verified 1 of the last 1 callback: select it with --version.",
      ],
    ],
    [
      "that the previous keys alone verify",
      revokesPrevious,
      rotated,
      ["previous", "previous"],
      "Revoke",
      [
        "callback revoked previous ",
        "Warning: Version previous, which this change removes, verified 2 of the last 2 callbacks",
        "version current verified none of the last 2 callbacks",
      ],
    ],
    [
      "that revoked keys stay in use as the current ones",
      revokesPrevious,
      twice,
      [],
      "Revoke",
      [
        'Warning: The current callback keys are the same, and stay in use as version current. If they leaked, replace them: "keys revoke --current"',
      ],
    ],
    [
      "that revoked keys stay in use as the previous ones",
      { verb: "revoke", version: "held" },
      secretWith({ current: "B", previous: "A", held: "A" }),
      [],
      "Revoke",
      [
        'Warning: The previous callback keys are the same, and stay in use as version previous. If they leaked, revoke them too: "keys revoke --previous".',
      ],
    ],
  ])("%s", async (_case, asked, secret, verified, yes, words) => {
    const found = await preview(asked, secret, verified);
    expect(found.yes).toBe(yes);
    for (const word of words) expect(found.text).toContain(word);
  });

  test.each<[string, Asked, ModelSecret, Place[]]>([
    ["a version that is left", revokesPrevious, rotated, ["current", "current", "previous"]],
    ["revoked keys that stay", revokesPrevious, twice, ["previous", "previous"]],
    ["restored keys that were current", { verb: "restore" }, twice, ["current", "current"]],
    [
      "restored keys that verified under another version",
      { verb: "restore" },
      secretWith({ current: "C", previous: "A", held: "A" }),
      ["held", "held"],
    ],
  ])("nothing against %s", async (_case, asked, secret, verified) => {
    const { text } = await preview(asked, secret, verified);
    expect(text).toContain(` of the last ${verified.length} callbacks`);
    expect(text).not.toContain("which this change removes");
    expect(text).not.toContain("The version that becomes current");
  });

  test("which version verified, if there is no previous one, unless its keys are current", async () => {
    const going = (held: Content) =>
      preview({ verb: "restore" }, secretWith({ current: "A", held }), ["held"]);
    await expect(going("B")).rejects.toThrow(
      "Version held verified 1 of the last 1 callback: --version held.",
    );
    await expect(going("A")).rejects.toMatchObject({
      message: expect.not.stringContaining("held"),
    });
  });

  test("that the previous versions of both secrets are revoked", async () => {
    const { text } = await preview(revokesPrevious, bothRotated);
    expect(text).toContain("callback revoked previous ");
    expect(text).toContain("request revoked previous ");
  });

  test("what becomes of callback keys to somebody who may not read request keys", async () => {
    const { target } = memoryMerchant({ callback: rotated });
    const stagesOf: Keys["stagesOf"] = (secretId) =>
      secretId === "request" ? Promise.reject(awsDenied) : target.keys.stagesOf(secretId);
    const denied = { ...target, keys: { ...target.keys, stagesOf } };
    const asked = { verb: "restore", only: "callback" } as const;
    expect(await planned(denied, asked)).toMatchObject({ yes: "Go back" });
  });

  test.each<[string, Asked]>([
    ["The previous", { verb: "restore", only: "request" }],
    ["These", { verb: "restore", version: "held" }],
  ])("whether request keys are proven, and nothing of callback keys: %s", async (which, asked) => {
    const models = { callback: once, request: withHeld };
    const { target } = memoryMerchant(models, { hasService: true });
    const text = shownText((await planned(target, asked)).report);
    expect(text).toContain(`${which} request keys are not proven: no payment is known`);
    expect(text).not.toMatch(/^callback /m);
  });
});
