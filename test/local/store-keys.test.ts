import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Listening } from "../../local/aws/listen-on-loopback.ts";
import { startSecretsManager } from "../../local/aws/secrets-manager.ts";
import { storeMerchantKeys, storeRotatedKeys } from "../../local/store-keys.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { secretsClient } from "./aws/aws-clients.ts";

const merchants = [{ merchantId: "shop-1", callbackKeys: "callback", requestKeys: "request" }];

let folder: string;
let emulator: Listening;
let client: SecretsManagerClient;
let told: string[];

beforeEach(async () => {
  folder = temporaryFolder("keys");
  mkdirSync(join(folder, "shop-1"));
  emulator = await startSecretsManager();
  client = secretsClient(emulator.endpoint);
  told = [];
  for (const Name of ["callback", "request"]) await client.send(new CreateSecretCommand({ Name }));
});
afterEach(() => emulator.stop());

/** What a start does when the keys in the simulator's folder are these. */
async function start(aesKey: string): Promise<void> {
  for (const name of ["callback-keys.json", "request-keys.json"]) {
    writeFileSync(join(folder, "shop-1", name), JSON.stringify({ aesKey }));
  }
  await storeMerchantKeys(client, merchants, folder, (line) => told.push(line));
}

async function stored(SecretId: string): Promise<unknown> {
  const { SecretString, VersionId } = await client.send(new GetSecretValueCommand({ SecretId }));
  return [SecretString, VersionId];
}

const put = (SecretString: string) =>
  client.send(new PutSecretValueCommand({ SecretId: "callback", SecretString }));

test("a start stores the keys once, and stores others if the simulator has made new ones", async () => {
  await start("one");
  const first = await stored("callback");
  expect(first).toEqual(['{"aesKey":"one"}', expect.any(String)]);
  await start("one");
  expect(await stored("callback")).toEqual(first);
  await start("two");
  expect(await stored("callback")).toEqual(['{"aesKey":"two"}', expect.any(String)]);
  expect(told).toEqual([]);
});

test.each(['{"aesKey":"by hand"}', "not even JSON"])(
  "keys that somebody put by hand (%s) are left as they are, and the start says so",
  async (text) => {
    await start("one");
    await put(text);
    await start("one");
    expect(await stored("callback")).toEqual([text, expect.any(String)]);
    expect(await stored("request")).toEqual(['{"aesKey":"one"}', expect.any(String)]);
    expect(told).toEqual([
      "callback-keys.json of shop-1 is not used: other keys were put into the secret.",
    ]);
  },
);

test("keys of a rotation at the service take the place of keys that were put by hand", async () => {
  await start("one");
  await put('{"aesKey":"by hand"}');
  const keys = { aesKey: "rotated" };
  const rotated = { merchantId: "shop-1", service: {}, callbackKeys: keys, requestKeys: keys };
  await storeRotatedKeys(client, merchants, folder, rotated as never);
  expect(await stored("callback")).toEqual(['{"aesKey":"rotated"}', expect.any(String)]);
  await start("rotated");
  expect(told).toEqual([]);
});
