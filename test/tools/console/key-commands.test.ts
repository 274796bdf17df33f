import { expect, test } from "vitest";
import { withCommands } from "../../../tools/console/routes/key-routes.ts";
import type { VersionReport } from "../../../tools/operations/keys/check-keys.ts";

const target = { kind: "deployed", name: "Paycast" } as const;
const keys = { fingerprint: "a", rsaBits: 2048, aesBits: 256, aesFingerprint: "b", profile: {} };
const version = (stage: VersionReport["stage"], more: Partial<VersionReport> = { keys }) => {
  return { stage, versionId: stage, createdAt: "2026-11-15T10:00:00.000Z", ...more };
};

function offered(previous: Partial<VersionReport>) {
  const versions = [version("current"), version("previous", previous)];
  const secrets = [{ kind: "callback" as const, secretId: "s", versions }];
  const report = { merchantId: "shop-1", secrets, problems: [], warnings: [] };
  const { restorable, commands } = withCommands(target, report);
  return { restorable, commands: commands.map(({ command }) => command) };
}

const goBack = "npx paycast keys restore shop-1 --only callback --stack Paycast";
const takeOut = "npx paycast keys revoke shop-1 --previous --stack Paycast";

test("the console offers to go back to previous keys that still verify", () => {
  const { restorable, commands } = offered({ keys, retirement: "in-use" });
  expect(restorable).toEqual(["callback"]);
  expect(commands).toEqual(expect.arrayContaining([goBack, takeOut]));
});

test.each([
  ["whose time is over", { keys, retirement: "over" as const }],
  ["that are not valid", { problem: "aesKey is missing." }],
])("previous keys %s can be taken out, but not gone back to", (_case, previous) => {
  const { restorable, commands } = offered(previous);
  expect(restorable).toEqual([]);
  expect(commands).not.toContain(goBack);
  expect(commands).toContain(takeOut);
});
