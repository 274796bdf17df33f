import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  InvalidParameterException,
  InvalidRequestException,
  ListSecretsCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSecretsManager } from "../../local/aws/secrets-manager.ts";
import { secretsClient } from "./aws-clients.ts";

let server: Awaited<ReturnType<typeof startSecretsManager>>;
let client: ReturnType<typeof secretsClient>;
let count = 0;

beforeAll(async () => {
  server = await startSecretsManager();
  client = secretsClient(server.endpoint);
});
afterAll(async () => {
  client.destroy();
  await server.stop();
});

async function createSecret(value?: string) {
  count += 1;
  const Name = `merchant/keys-${count}`;
  const created = await client.send(new CreateSecretCommand({ Name, SecretString: value }));
  return { name: Name, arn: created.ARN!, versionId: created.VersionId };
}

async function put(SecretId: string, SecretString: string, VersionStages?: string[]) {
  const input = { SecretId, SecretString, VersionStages };
  return (await client.send(new PutSecretValueCommand(input))).VersionId!;
}

const get = (SecretId: string, which: { VersionStage?: string; VersionId?: string } = {}) =>
  client.send(new GetSecretValueCommand({ SecretId, ...which }));

async function stagesOf(SecretId: string) {
  const described = await client.send(new DescribeSecretCommand({ SecretId }));
  return described.VersionIdsToStages;
}

describe("reading", () => {
  test("a secret is found by name, by ARN and by the ARN without its random end", async () => {
    const { name, arn, versionId } = await createSecret("one");
    for (const id of [name, arn, arn.slice(0, -7)]) {
      const answer = await get(id);
      expect(answer).toMatchObject({ ARN: arn, Name: name, SecretString: "one" });
      expect(answer.VersionId).toBe(versionId);
    }
  });

  test("a version carries its stages and the time it was made", async () => {
    const before = Date.now();
    const { name } = await createSecret("one");
    const { VersionStages, CreatedDate } = await get(name);
    expect(VersionStages).toEqual(["AWSCURRENT"]);
    expect(CreatedDate!.getTime()).toBeGreaterThanOrEqual(before - 1);
    expect(CreatedDate!.getTime()).toBeLessThanOrEqual(Date.now() + 1);
  });

  test("a secret without a value is not found as a value but can be described", async () => {
    const { name, arn } = await createSecret();
    await expect(get(name)).rejects.toBeInstanceOf(ResourceNotFoundException);
    const described = await client.send(new DescribeSecretCommand({ SecretId: name }));
    expect(described).toMatchObject({ ARN: arn, Name: name, VersionIdsToStages: {} });
  });

  test("a secret, a stage or a version that does not exist is not found", async () => {
    const { name } = await createSecret("one");
    await expect(get("nobody")).rejects.toBeInstanceOf(ResourceNotFoundException);
    const byStage = get(name, { VersionStage: "AWSPREVIOUS" });
    await expect(byStage).rejects.toBeInstanceOf(ResourceNotFoundException);
    const byId = get(name, { VersionId: "0".repeat(32) });
    await expect(byId).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test("a stage and a version that do not belong together are an invalid request", async () => {
    const { name, versionId } = await createSecret("one");
    const which = { VersionStage: "AWSPREVIOUS", VersionId: versionId! };
    await expect(get(name, which)).rejects.toBeInstanceOf(InvalidRequestException);
  });

  test("bytes come back as they were put", async () => {
    const { name } = await createSecret();
    const SecretBinary = Uint8Array.from([0, 255, 1, 254]);
    await client.send(new PutSecretValueCommand({ SecretId: name, SecretBinary }));
    expect([...(await get(name)).SecretBinary!]).toEqual([0, 255, 1, 254]);
  });

  test("all secrets are listed", async () => {
    const { name, arn } = await createSecret("one");
    const { SecretList } = await client.send(new ListSecretsCommand({}));
    expect(SecretList).toContainEqual(expect.objectContaining({ Name: name, ARN: arn }));
  });
});

describe("writing", () => {
  test("a new value becomes current, the old one previous, and the one before has no stage", async () => {
    const { name } = await createSecret();
    const first = await put(name, "one");
    const second = await put(name, "two");
    expect(await stagesOf(name)).toEqual({ [first]: ["AWSPREVIOUS"], [second]: ["AWSCURRENT"] });
    const third = await put(name, "three");
    expect(await stagesOf(name)).toEqual({ [second]: ["AWSPREVIOUS"], [third]: ["AWSCURRENT"] });
    expect((await get(name)).SecretString).toBe("three");
    expect((await get(name, { VersionStage: "AWSPREVIOUS" })).SecretString).toBe("two");
    expect((await get(name, { VersionId: first })).SecretString).toBe("one");
  });

  test("a value put under another stage leaves the current one alone", async () => {
    const { name } = await createSecret("one");
    await put(name, "two", ["AWSPENDING"]);
    expect((await get(name)).SecretString).toBe("one");
    expect((await get(name, { VersionStage: "AWSPENDING" })).SecretString).toBe("two");
  });

  test("a repeat under the same token changes nothing, another value under it is refused", async () => {
    const { name } = await createSecret("one");
    const repeat = { SecretId: name, ClientRequestToken: "t".repeat(32) };
    await client.send(new PutSecretValueCommand({ ...repeat, SecretString: "two" }));
    await client.send(new PutSecretValueCommand({ ...repeat, SecretString: "two" }));
    expect(Object.keys((await stagesOf(name)) ?? {})).toHaveLength(2);
    const other = client.send(new PutSecretValueCommand({ ...repeat, SecretString: "three" }));
    await expect(other).rejects.toBeInstanceOf(ResourceExistsException);
  });

  test("a name is taken once", async () => {
    const { name } = await createSecret("one");
    const again = client.send(new CreateSecretCommand({ Name: name, SecretString: "two" }));
    await expect(again).rejects.toBeInstanceOf(ResourceExistsException);
  });

  test("a put without a value is refused", async () => {
    const { name } = await createSecret("one");
    const putting = client.send(new PutSecretValueCommand({ SecretId: name }));
    await expect(putting).rejects.toBeInstanceOf(InvalidParameterException);
  });

  test("an operation it does not have is refused by name", async () => {
    const response = await fetch(server.endpoint, {
      method: "POST",
      headers: { "x-amz-target": "secretsmanager.RotateSecret" },
      body: "{}",
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: "UnknownOperationException" });
  });
});

describe("moving stages", () => {
  const move = (SecretId: string, from: string | undefined, to: string | undefined) =>
    client.send(
      new UpdateSecretVersionStageCommand({
        SecretId,
        VersionStage: "AWSCURRENT",
        RemoveFromVersionId: from,
        MoveToVersionId: to,
      }),
    );

  test("moving the current stage back swaps current and previous", async () => {
    const { name } = await createSecret();
    const first = await put(name, "one");
    const second = await put(name, "two");
    await move(name, second, first);
    expect(await stagesOf(name)).toEqual({ [first]: ["AWSCURRENT"], [second]: ["AWSPREVIOUS"] });
  });

  test("the version that has the stage must be named", async () => {
    const { name } = await createSecret();
    const first = await put(name, "one");
    const second = await put(name, "two");
    await expect(move(name, undefined, first)).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(move(name, first, first)).rejects.toBeInstanceOf(InvalidParameterException);
    await expect(move(name, "x", first)).rejects.toBeInstanceOf(ResourceNotFoundException);
    expect((await get(name)).VersionId).toBe(second);
  });

  test("the current stage cannot be taken away, another one can", async () => {
    const { name, versionId } = await createSecret("one");
    await expect(move(name, versionId, undefined)).rejects.toBeInstanceOf(
      InvalidParameterException,
    );
    const pending = await put(name, "two", ["AWSPENDING"]);
    await client.send(
      new UpdateSecretVersionStageCommand({
        SecretId: name,
        VersionStage: "AWSPENDING",
        RemoveFromVersionId: pending,
      }),
    );
    expect(await stagesOf(name)).toEqual({ [versionId!]: ["AWSCURRENT"] });
  });
});

test("secrets kept in a file are there after a restart, for the owner's eyes only", async () => {
  const folder = mkdtempSync(join(tmpdir(), "paycast-secrets-"));
  const dataFile = join(folder, "deep", "secrets.json");
  const first = await startSecretsManager({ dataFile });
  const writer = secretsClient(first.endpoint);
  await writer.send(new CreateSecretCommand({ Name: "kept", SecretString: "one" }));
  await writer.send(new PutSecretValueCommand({ SecretId: "kept", SecretString: "two" }));
  await first.stop();
  const second = await startSecretsManager({ dataFile });
  const reader = secretsClient(second.endpoint);
  const previous = { SecretId: "kept", VersionStage: "AWSPREVIOUS" };
  expect((await reader.send(new GetSecretValueCommand(previous))).SecretString).toBe("one");
  expect(statSync(dataFile).mode & 0o777).toBe(0o600);
  await second.stop();
  rmSync(folder, { recursive: true });
});
