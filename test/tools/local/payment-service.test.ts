import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Listening } from "../../../tools/local/aws/listen-on-loopback.ts";
import { startSecretsManager } from "../../../tools/local/aws/secrets-manager.ts";
import { besideSimulator, storeMerchantKeys } from "../../../tools/local/payment-service.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { secretsClient } from "./aws/aws-clients.ts";

const merchants = [{ merchantId: "shop-1", callbackKeys: "callback", requestKeys: "request" }];

let directory: string;
let folder: string;
let emulator: Listening;
let client: SecretsManagerClient;
let lines: string[];

beforeEach(async () => {
  directory = temporaryFolder("service");
  folder = join(directory, "simulator");
  mkdirSync(join(folder, "shop-1"), { recursive: true });
  emulator = await startSecretsManager();
  client = secretsClient(emulator.endpoint);
  lines = [];
  for (const Name of ["callback", "request"]) await client.send(new CreateSecretCommand({ Name }));
});
afterEach(() => emulator.stop());

/** What the simulator is started with. */
function beside(keepData = false, isRunning = true) {
  const description = { console: "http://127.0.0.1:1/?token=T-0_k", merchants };
  return besideSimulator(
    { directory, keepData },
    () => (isRunning ? description : undefined),
    client,
  );
}

/** What a start does when the keys in the simulator's folder are these. */
async function start(aesKey: string): Promise<void> {
  for (const name of ["callback-keys.json", "request-keys.json"]) {
    writeFileSync(join(folder, "shop-1", name), JSON.stringify({ aesKey }));
  }
  await storeMerchantKeys(client, merchants, folder, (line) => lines.push(line));
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
  expect(lines).toEqual([]);
});

test.each(['{"aesKey":"by hand"}', "not even JSON"])(
  "keys that somebody put by hand (%s) are left as they are, and the start says so",
  async (text) => {
    await start("one");
    await put(text);
    await start("one");
    expect(await stored("callback")).toEqual([text, expect.any(String)]);
    expect(await stored("request")).toEqual(['{"aesKey":"one"}', expect.any(String)]);
    expect(lines).toEqual([
      "callback-keys.json of shop-1 is not used, because the secret contains other keys.",
    ]);
  },
);

test("keys of a rotation at the service take the place of keys that were put by hand", async () => {
  await start("one");
  await put('{"aesKey":"by hand"}');
  const keys = { aesKey: "rotated" };
  const rotated = { merchantId: "shop-1", service: {}, callbackKeys: keys, requestKeys: keys };
  await beside().onRotate?.(rotated as never);
  expect(await stored("callback")).toEqual(['{"aesKey":"rotated"}', expect.any(String)]);
  await start("rotated");
  expect(lines).toEqual([]);
});

test("the payment service's orders are kept only with --keep", () => {
  expect(beside().ordersFile).toBeUndefined();
  expect(beside(true).ordersFile).toBe(join(directory, "data/payment-service.json"));
});

test.each([
  ["ORDER-1", "/orders/ORDER-1?merchant=m"],
  ["a/b?c#d", "/orders/a%2Fb%3Fc%23d?merchant=m"],
  ["..", "/orders/~..?merchant=m"],
])("the order %s has a page in the console, whose address has no token", (orderNo, path) => {
  expect(beside().orderPage?.("m", orderNo)?.address).toBe(`http://127.0.0.1:1${path}`);
  expect(beside(false, false).orderPage?.("m", orderNo)).toBeUndefined();
});
