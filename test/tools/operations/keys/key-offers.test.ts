import { expect, test } from "vitest";
import { fieldsOf } from "../../../../tools/operations/described/input-fields.ts";
import type { VersionReport } from "../../../../tools/operations/keys/check-keys.ts";
import { keys as group, keyOffers, verdictLines } from "../../../../tools/operations/keys/keys.ts";

const keys = { fingerprint: "a", rsaBits: 2048, aesBits: 256, aesFingerprint: "b", profile: {} };
const version = (stage: VersionReport["stage"], more: Partial<VersionReport> = { keys }) => {
  return { stage, versionId: stage, createdAt: "2026-11-15T10:00:00.000Z", ...more };
};

function offered(...versions: VersionReport[]) {
  const secrets = [{ kind: "callback" as const, secretId: "s", versions, revoked: [] }];
  const offers = keyOffers({ merchantId: "shop-1", secrets, problems: [], warnings: [] });
  return offers.map(({ verb, input }) => [verb, input] as const);
}

const goBack = ["restore", { merchant: "shop-1", only: "callback" }];
const remove = ["revoke", { merchant: "shop-1", previous: true }];

test("each offer is an operation of the command, with fields that it has", () => {
  const previous = version("previous", { keys, retirement: "in-use" });
  for (const [verb, input] of [...offered(), ...offered(version("current"), previous)]) {
    const operation = group.operations.find((candidate) => candidate.verb === verb);
    const fields = operation === undefined ? [] : fieldsOf(operation);
    expect(fields.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(input)));
  }
});

test("a merchant without keys can only set them", () => {
  expect(offered().map(([verb]) => verb)).toEqual(["set"]);
});

test("the version that verified the callbacks before the refused ones can be restored by its name", () => {
  const versions = [version("current")];
  const secrets = [{ kind: "callback" as const, secretId: "s", versions, revoked: [] }];
  const refusals = { merchantId: "shop-1", kind: "all", text: "", restorable: "d5e1" } as const;
  const report = { merchantId: "shop-1", secrets, problems: [], warnings: [], refusals };
  expect(keyOffers(report).map(({ verb, input }) => [verb, input])).toContainEqual([
    "restore",
    { merchant: "shop-1", only: "callback", version: "d5e1" },
  ]);
});

test("previous keys that still verify can be restored and removed", () => {
  const offers = offered(version("current"), version("previous", { keys, retirement: "in-use" }));
  expect(offers).toEqual(expect.arrayContaining([goBack, remove]));
});

test.each([
  ["whose time is over", { keys, retirement: "over" as const }],
  ["that are not valid", { problem: "aesKey is missing." }],
])("previous keys %s can be removed, but not restored", (_case, previous) => {
  const offers = offered(version("current"), version("previous", previous));
  expect(offers).not.toContainEqual(goBack);
  expect(offers).toContainEqual(remove);
});

test.each([
  ["without refusals", {}, true],
  ["beside forged callbacks", { kind: "forged" }, true],
  ["after refusals that are over", { kind: "over" }, true],
  ["while refusals are not explained", { kind: "unclear" }, false],
  ["with a warning", { warnings: ["It verified none."] }, false],
] as const)("keys are called good only if nothing is in doubt: %s", (_case, given, isGood) => {
  const refusals =
    "kind" in given ? { merchantId: "shop-1", kind: given.kind, text: "" } : undefined;
  const warnings = "warnings" in given ? given.warnings : [];
  const report = { merchantId: "shop-1", secrets: [], problems: [], warnings, refusals };
  expect(verdictLines(report).includes("The keys are good.")).toBe(isGood);
});

test.each([
  ["is a note", "in-use", ["Note: They verified the last callback."]],
  ["that is a warning already is no note", "alone", []],
] as const)("what is known of previous keys %s", (_case, retirement, notes) => {
  const previous = version("previous", { retirement, note: "They verified the last callback." });
  const versions = [version("current"), previous];
  const secrets = [{ kind: "callback" as const, secretId: "s", versions, revoked: [] }];
  const lines = verdictLines({ merchantId: "shop-1", secrets, problems: [], warnings: [] });
  expect(lines).toEqual([...notes, "The keys are good."]);
});
