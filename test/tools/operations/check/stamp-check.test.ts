import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { expect, test } from "vitest";
import { openSecrets } from "../../../../tools/operations/aws/open-secrets.ts";
import { stampKeyCheck } from "../../../../tools/operations/check/stamp-check.ts";
import type { Target } from "../../../../tools/operations/ports/target.ts";

/** What the check says when Secrets Manager describes the secret like this. */
async function verdictOn(described: object) {
  const asked: unknown[] = [];
  const send = async (command: { readonly input: object }) => {
    asked.push([command.constructor.name, command.input]);
    return described;
  };
  const secrets = openSecrets({ send } as unknown as SecretsManagerClient, Date.now);
  const target = { keys: { ...secrets, stampKey: "arn:stamp" } };
  const verdicts = await stampKeyCheck.run(target as unknown as Target, {} as never);
  // It never reads the key itself.
  expect(asked).toEqual([["DescribeSecretCommand", { SecretId: "arn:stamp" }]]);
  return verdicts;
}

test("a stamp key with a current version is all right", async () => {
  const described = { VersionIdsToStages: { a: ["AWSCURRENT"] } };
  expect(await verdictOn(described)).toEqual([{ status: "ok", message: "present" }]);
});

test("a previous version is named, because its messages count, too", async () => {
  const described = { VersionIdsToStages: { a: ["AWSCURRENT"], b: ["AWSPREVIOUS"] } };
  const [{ status, message } = {}] = await verdictOn(described);
  expect(status).toBe("ok");
  expect(message).toContain("previous version");
});

test.each([
  ["without a current version", { VersionIdsToStages: { b: ["AWSPREVIOUS"] } }, "put-secret-value"],
  ["without any version", {}, "put-secret-value"],
  [
    "that somebody deleted",
    { DeletedDate: new Date(0), VersionIdsToStages: { a: ["AWSCURRENT"] } },
    "restore-secret",
  ],
])("a stamp key %s is a problem, with the command that helps", async (_name, described, verb) => {
  const [verdict] = await verdictOn(described);
  expect(verdict).toMatchObject({
    status: "problem",
    action: expect.stringContaining(`aws secretsmanager ${verb} --secret-id arn:stamp`),
  });
});
