import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import type { LocalDescription } from "../operations/target/local-description.ts";
import { keepRotatedKeys } from "../simulator/merchants/keys-folder.ts";
import type { RotatedKeys } from "../simulator/merchants/rotate-keys.ts";

type Merchants = LocalDescription["merchants"];

const keysSchema = z.record(z.string(), z.unknown());

/** Stores each merchant's keys, made at the first start, in the secrets that the functions read. */
export async function storeMerchantKeys(
  client: SecretsManagerClient,
  merchants: Merchants,
  folder: string,
): Promise<void> {
  for (const { merchantId, callbackKeys, requestKeys } of merchants) {
    const read = (name: string) => readFile(join(folder, merchantId, name), "utf8");
    await storeIfOther(client, callbackKeys, JSON.parse(await read("callback-keys.json")));
    await storeIfOther(client, requestKeys, JSON.parse(await read("request-keys.json")));
  }
}

/** After a rotation at the service: adds a new version of each secret, so that the previous keys still verify. */
export async function storeRotatedKeys(
  client: SecretsManagerClient,
  merchants: Merchants,
  folder: string,
  rotated: RotatedKeys,
): Promise<void> {
  const secrets = merchants.find(({ merchantId }) => merchantId === rotated.merchantId);
  if (secrets === undefined) return;
  const before = (await currentValue(client, secrets.requestKeys)) ?? {};
  await storeIfOther(client, secrets.callbackKeys, rotated.callbackKeys);
  await storeIfOther(client, secrets.requestKeys, { ...before, ...rotated.requestKeys });
  await keepRotatedKeys(folder, rotated);
}

/** Storing the same value again would replace the previous version, which is still needed to verify. */
async function storeIfOther(
  client: SecretsManagerClient,
  SecretId: string,
  keys: object,
): Promise<void> {
  const SecretString = JSON.stringify(keys);
  if (JSON.stringify(await currentValue(client, SecretId)) === SecretString) return;
  await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
}

async function currentValue(client: SecretsManagerClient, SecretId: string) {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    return keysSchema.parse(JSON.parse(SecretString ?? "{}"));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
