import { once } from "node:events";
import { statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import {
  CreateSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  InvalidParameterException,
  InvalidRequestException,
  LimitExceededException,
  ListSecretsCommand,
  ListSecretVersionIdsCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startSecretsManager } from "../../../../tools/local/aws/secrets-manager.ts";
import { temporaryFolder } from "../../../setup/temporary-folder.ts";
import { secretsClient } from "./aws-clients.ts";

let server: Awaited<ReturnType<typeof startSecretsManager>>;
let client: ReturnType<typeof secretsClient>;
let count = 0;

beforeAll(async () => {
  server = await startSecretsManager();
  client = secretsClient(server.endpoint);
});
afterAll(() => server.stop());

async function createSecret(SecretString?: string) {
  count += 1;
  const Name = `merchant/keys-${count}`;
  const created = await client.send(new CreateSecretCommand({ Name, SecretString }));
  return { name: Name, arn: created.ARN!, versionId: created.VersionId };
}

async function put(SecretId: string, SecretString: string, VersionStages?: string[]) {
  const input = { SecretId, SecretString, VersionStages };
  return (await client.send(new PutSecretValueCommand(input))).VersionId!;
}

const get = (SecretId: string, which: { VersionStage?: string; VersionId?: string } = {}) =>
  client.send(new GetSecretValueCommand({ SecretId, ...which }));

const stagesOf = async (SecretId: string) =>
  (await client.send(new DescribeSecretCommand({ SecretId }))).VersionIdsToStages;

describe("reading", () => {
  test("a secret is found by name, by ARN and by the ARN without its random end", async () => {
    const before = Date.now();
    const { name, arn, versionId } = await createSecret("one");
    for (const id of [name, arn, arn.slice(0, -7)]) {
      const { CreatedDate, ...answer } = await get(id);
      const VersionStages = ["AWSCURRENT"];
      const value = { SecretString: "one", VersionId: versionId, VersionStages };
      expect(answer).toMatchObject({ ARN: arn, Name: name, ...value });
      expect(CreatedDate!.getTime()).toBeGreaterThanOrEqual(before - 1);
    }
    const { SecretList } = await client.send(new ListSecretsCommand({}));
    expect(SecretList).toContainEqual(expect.objectContaining({ Name: name, ARN: arn }));
  });

  test("a secret without a value has no version, but can be described", async () => {
    const { name, arn } = await createSecret();
    await expect(get(name)).rejects.toBeInstanceOf(ResourceNotFoundException);
    const described = await client.send(new DescribeSecretCommand({ SecretId: name }));
    expect(described).toMatchObject({ ARN: arn, Name: name, VersionIdsToStages: {} });
  });

  test("a secret, a stage or a version that does not exist is an error", async () => {
    const { name, versionId } = await createSecret("one");
    const VersionStage = "AWSPREVIOUS";
    for (const [id, which] of [
      ["nobody", {}],
      [name, { VersionStage }],
      [name, { VersionId: "0".repeat(32) }],
    ] as const) {
      await expect(get(id, which)).rejects.toBeInstanceOf(ResourceNotFoundException);
    }
    const both = get(name, { VersionStage, VersionId: versionId! });
    await expect(both).rejects.toBeInstanceOf(InvalidRequestException);
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

  test("a value with another stage leaves the current one alone", async () => {
    const { name } = await createSecret("one");
    await put(name, "two", ["AWSPENDING"]);
    expect((await get(name)).SecretString).toBe("one");
    expect((await get(name, { VersionStage: "AWSPENDING" })).SecretString).toBe("two");
  });

  test("the same token again changes nothing, with another value it is refused", async () => {
    const { name } = await createSecret("one");
    const repeat = { SecretId: name, ClientRequestToken: "t".repeat(32) };
    const putAgain = (SecretString: string) =>
      client.send(new PutSecretValueCommand({ ...repeat, SecretString }));
    await putAgain("two");
    await putAgain("two");
    expect(Object.keys((await stagesOf(name)) ?? {})).toHaveLength(2);
    await expect(putAgain("three")).rejects.toBeInstanceOf(ResourceExistsException);
  });

  test("a binary value is refused", async () => {
    const SecretBinary = Uint8Array.from([0, 255]);
    const creating = client.send(new CreateSecretCommand({ Name: "binary", SecretBinary }));
    await expect(creating).rejects.toThrow("SecretBinary");
  });

  test("an unknown operation is refused by name", async () => {
    const headers = { "x-amz-target": "secretsmanager.RotateSecret" };
    const response = await fetch(server.endpoint, { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: "UnknownOperationException" });
  });
});

describe("the versions of a secret", () => {
  const list = (SecretId: string, how: object = {}) =>
    client.send(new ListSecretVersionIdsCommand({ SecretId, ...how }));

  test("are listed with their stages; those without one only if asked for", async () => {
    const { name } = await createSecret();
    const [first, second, third] = [
      await put(name, "one"),
      await put(name, "two"),
      await put(name, "three"),
    ];
    const { Versions } = await list(name);
    expect(Versions).toMatchObject([
      { VersionId: second, VersionStages: ["AWSPREVIOUS"], CreatedDate: expect.any(Date) },
      { VersionId: third, VersionStages: ["AWSCURRENT"] },
    ]);
    const all = await list(name, { IncludeDeprecated: true });
    expect(all.Versions).toHaveLength(3);
    expect(all.Versions![0]).toMatchObject({ VersionId: first, VersionStages: [] });
    const page = await list(name, { IncludeDeprecated: true, MaxResults: 2 });
    expect(page.Versions).toHaveLength(2);
    const rest = { IncludeDeprecated: true, MaxResults: 2, NextToken: page.NextToken };
    const last = await list(name, rest);
    expect(last.Versions).toMatchObject([{ VersionId: third }]);
    expect(last.NextToken).toBeUndefined();
  });

  test("have at most twenty stages together", async () => {
    const { name, versionId } = await createSecret("one");
    const attach = (VersionStage: string) =>
      client.send(
        new UpdateSecretVersionStageCommand({
          SecretId: name,
          VersionStage,
          MoveToVersionId: versionId,
        }),
      );
    for (let label = 1; label < 20; label += 1) await attach(`label-${label}`);
    await expect(attach("one-too-many")).rejects.toBeInstanceOf(LimitExceededException);
    await attach("label-1");
  });

  test("change when a stage moves, and the secret says when", async () => {
    const { name, versionId } = await createSecret("one");
    const changed = async () =>
      (await client.send(new DescribeSecretCommand({ SecretId: name }))).LastChangedDate!.getTime();
    const before = await changed();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const input = { SecretId: name, VersionStage: "mine", MoveToVersionId: versionId };
    await client.send(new UpdateSecretVersionStageCommand(input));
    expect(await changed()).toBeGreaterThan(before);
  });
});

test("the current stage moves only from the version that has it, which becomes previous", async () => {
  const { name } = await createSecret();
  const first = await put(name, "one");
  const second = await put(name, "two");
  const move = (RemoveFromVersionId: string | undefined, MoveToVersionId: string | undefined) => {
    const stage = { SecretId: name, VersionStage: "AWSCURRENT" };
    const input = { ...stage, RemoveFromVersionId, MoveToVersionId };
    return client.send(new UpdateSecretVersionStageCommand(input));
  };
  for (const [from, to] of [
    [undefined, first],
    [first, first],
    [second, undefined],
  ]) {
    await expect(move(from, to)).rejects.toBeInstanceOf(InvalidParameterException);
  }
  await move(second, first);
  expect(await stagesOf(name)).toEqual({ [first]: ["AWSCURRENT"], [second]: ["AWSPREVIOUS"] });
});

test("secrets in a file are there after a restart, and only the owner can read the file", async () => {
  const folder = temporaryFolder("secrets");
  const dataFile = join(folder, "deep", "secrets.json");
  const first = await startSecretsManager({ dataFile });
  const writer = secretsClient(first.endpoint);
  await writer.send(new CreateSecretCommand({ Name: "kept", SecretString: "one" }));
  await writer.send(new PutSecretValueCommand({ SecretId: "kept", SecretString: "two" }));
  await first.stop();
  const second = await startSecretsManager({ dataFile });
  const previous = { SecretId: "kept", VersionStage: "AWSPREVIOUS" };
  const read = await secretsClient(second.endpoint).send(new GetSecretValueCommand(previous));
  expect(read.SecretString).toBe("one");
  expect(statSync(dataFile).mode & 0o777).toBe(0o600);
  await second.stop();
});

test("a caller that goes away while it sends does no harm", async () => {
  const { hostname, port } = new URL(server.endpoint);
  const caller = connect(Number(port), hostname);
  await once(caller, "connect");
  caller.write(`POST / HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-length: 100\r\n\r\n{`);
  caller.resume().end();
  await once(caller, "close");
  await expect(createSecret("still there")).resolves.toHaveProperty("arn");
});
