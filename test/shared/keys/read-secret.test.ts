import { once } from "node:events";
import { createServer } from "node:http";
import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKeyRing } from "../../../shared/keys/key-ring.ts";
import { readCallbackKeys } from "../../../shared/keys/keys-in-secret.ts";
import { createSecretReader } from "../../../shared/keys/read-secret.ts";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { startSecretsManager } from "../../../tools/local/aws/secrets-manager.ts";
import {
  bytesOf,
  openCallback,
  sealedCallback,
  sentAt,
  windowAt,
} from "../../builders/callback.ts";
import { makeMerchant, merchantPair } from "../../builders/merchant.ts";

const clientOf = (endpoint: string) =>
  new SecretsManagerClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "any", secretAccessKey: "any" },
    maxAttempts: 1,
  });

let emulator: Awaited<ReturnType<typeof startSecretsManager>>;
let client: SecretsManagerClient;
const signal = new AbortController().signal;

beforeEach(async () => {
  emulator = await startSecretsManager();
  client = clientOf(emulator.endpoint);
});
afterEach(async () => {
  client.destroy();
  await emulator.stop();
});

const create = (Name: string, SecretString?: string) =>
  client.send(new CreateSecretCommand({ Name, SecretString }));
const put = (SecretId: string, SecretString: string) =>
  client.send(new PutSecretValueCommand({ SecretId, SecretString }));

describe("a secret, read with the SDK", () => {
  test("gives its version's id, text and time", async () => {
    const before = Date.now();
    const { VersionId } = await create("read/one", "text one");
    const version = await createSecretReader(client)("read/one", "AWSCURRENT", signal);
    expect(version).toMatchObject({ versionId: VersionId, text: "text one" });
    expect(version!.createdAtMilliseconds).toBeGreaterThanOrEqual(before - 1_000);
    expect(version!.createdAtMilliseconds).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test("gives nothing where the secret, its value or that version is not there", async () => {
    const read = createSecretReader(client);
    await create("read/empty");
    await create("read/single", "text");
    expect(await read("read/nobody", "AWSCURRENT", signal)).toBeUndefined();
    expect(await read("read/empty", "AWSCURRENT", signal)).toBeUndefined();
    expect(await read("read/single", "AWSPREVIOUS", signal)).toBeUndefined();
  });

  test("throws what Secrets Manager says otherwise, and when it cannot be reached", async () => {
    const failing = await listenOnLoopback(
      createServer((_request, response) => {
        response.writeHead(400, { "content-type": "application/x-amz-json-1.1" });
        response.end(JSON.stringify({ __type: "AccessDeniedException", message: "no" }));
      }),
    );
    const read = () => createSecretReader(clientOf(failing.endpoint))("any", "AWSCURRENT", signal);
    await expect(read()).rejects.toMatchObject({ name: "AccessDeniedException" });
    await failing.stop();
    await expect(read()).rejects.toThrow();
  });

  test("stops waiting when the signal says so", async () => {
    const server = createServer();
    const silent = await listenOnLoopback(server);
    const controller = new AbortController();
    const read = createSecretReader(clientOf(silent.endpoint));
    const reading = read("any", "AWSCURRENT", controller.signal);
    const outcome = expect(reading).rejects.toMatchObject({ name: "AbortError" });
    await once(server, "request");
    controller.abort();
    await silent.stop();
    await outcome;
  });
});

test("a rotation, from the secret to the opened callback", async () => {
  const older = makeMerchant();
  const newer = makeMerchant({
    servicePair: merchantPair(),
    profile: { cipher: "GCM", iv: "prefixed" },
  });
  const { merchantId } = older;
  const ring = createKeyRing({
    secretIds: { [merchantId]: "merchant/callback-keys" },
    readSecret: createSecretReader(client),
    parse: readCallbackKeys,
    now: Date.now,
    previousLifetimeMilliseconds: 60_000,
    onProblem: () => {},
  });
  const openNow = async (merchant: typeof older) => {
    const versions = await ring.keysFor(merchantId);
    const bytes = bytesOf(sealedCallback(merchant));
    return openCallback(bytes, () => versions, windowAt(sentAt)).verifiedBy;
  };
  const first = await create("merchant/callback-keys", older.callbackSecret());
  expect(await openNow(older)).toEqual({ versionId: first.VersionId, stage: "current" });
  const second = await put("merchant/callback-keys", newer.callbackSecret());
  await expect(openNow(newer)).rejects.toMatchObject({ refusalClass: "not-authentic" });
  expect(await ring.refreshAfterRefusal(merchantId)).toBe(true);
  expect(await openNow(newer)).toEqual({ versionId: second.VersionId, stage: "current" });
  expect(await openNow(older)).toEqual({
    versionId: first.VersionId,
    stage: "previous",
    replacedAtMilliseconds: expect.any(Number),
  });
});
