import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import { parseJson } from "../../shared/json/parse-json.ts";
import { encodePathPart } from "../console/path-part.ts";
import type { LocalDescription } from "../operations/local-stack/local-description.ts";
import { keepRotatedKeys } from "../simulator/merchants/keys-folder.ts";
import type { RotatedKeys } from "../simulator/merchants/rotate-keys.ts";
import type { SimulatorOptions } from "../simulator/start-simulator.ts";
import type { LocalOptions } from "./local-options.ts";

/** Connects the simulator with Paycast. `running` returns undefined until the stack is running. */
export function besideSimulator(
  { directory, keepData }: Pick<LocalOptions, "directory" | "keepData">,
  running: () => Pick<LocalDescription, "console" | "merchants"> | undefined,
  secrets: SecretsManagerClient,
): Partial<SimulatorOptions> {
  return {
    orderPage: (merchantId, orderNo) => {
      const console = running()?.console;
      if (console === undefined) return undefined;
      const path = `/orders/${encodePathPart(orderNo)}?${new URLSearchParams({ merchant: merchantId })}`;
      // Without the token, because anyone may open a checkout. An authorized browser has the token as a cookie.
      return { address: new URL(console).origin + path, text: "View the order in Paycast" };
    },
    onRotate: (rotated) =>
      storeRotatedKeys(secrets, running()?.merchants ?? [], keysFolder(directory), rotated),
    // Overdue callbacks of kept orders would fail, because the stack starts after the simulator.
    holdsClock: true,
    ordersFile: keepData ? join(directory, "data", "payment-service.json") : undefined,
  };
}

/** The simulator's key folder, in the folder of the local stack. */
export function keysFolder(directory: string): string {
  return join(directory, "simulator");
}

type Merchants = LocalDescription["merchants"];

/** The prefix of the version ids that are stored here. A version with another id was stored by the user. */
const ownVersion = "paycast-local-";

const keysSchema = z.record(z.string(), z.unknown()).catch({});

/** Stores each merchant's keys in the secrets that the functions read. The keys are created at the first start. */
export async function storeMerchantKeys(
  client: SecretsManagerClient,
  merchants: Merchants,
  folder: string,
  tell: (line: string) => void,
): Promise<void> {
  for (const { merchantId, callbackKeys, requestKeys } of merchants) {
    const store = async (SecretId: string, fileName: string) => {
      const current = await currentVersion(client, SecretId);
      const text = await readFile(join(folder, merchantId, fileName), "utf8");
      if (current?.id.startsWith(ownVersion) === false) {
        tell(`${fileName} of ${merchantId} is not used, because the secret contains other keys.`);
      } else await storeIfOther(client, SecretId, JSON.parse(text));
    };
    await store(callbackKeys, "callback-keys.json");
    await store(requestKeys, "request-keys.json");
  }
}

/**
 * After a rotation at the payment service: adds a new version of each secret, so that the previous keys still verify.
 */
export async function storeRotatedKeys(
  client: SecretsManagerClient,
  merchants: Merchants,
  folder: string,
  rotated: RotatedKeys,
): Promise<void> {
  const secrets = merchants.find(({ merchantId }) => merchantId === rotated.merchantId);
  if (secrets === undefined) return;
  const before = await currentVersion(client, secrets.requestKeys);
  await storeIfOther(client, secrets.callbackKeys, rotated.callbackKeys);
  await storeIfOther(client, secrets.requestKeys, { ...before?.keys, ...rotated.requestKeys });
  await keepRotatedKeys(folder, rotated);
}

/** Storing the same value again would replace the previous version, which is still needed to verify. */
async function storeIfOther(
  client: SecretsManagerClient,
  SecretId: string,
  keys: object,
): Promise<void> {
  const SecretString = JSON.stringify(keys);
  const current = await currentVersion(client, SecretId);
  if (JSON.stringify(current?.keys) === SecretString) return;
  const ClientRequestToken = `${ownVersion}${randomUUID()}`;
  await client.send(new PutSecretValueCommand({ SecretId, SecretString, ClientRequestToken }));
}

/** Undefined if the secret has no value or is not JSON. The user may have stored anything in it. */
async function currentVersion(client: SecretsManagerClient, SecretId: string) {
  try {
    const { SecretString, VersionId } = await client.send(new GetSecretValueCommand({ SecretId }));
    return { id: VersionId ?? "", keys: keysSchema.parse(parseJson(SecretString ?? "")) };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
