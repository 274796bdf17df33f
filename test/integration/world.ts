import { CreateSecretCommand } from "@aws-sdk/client-secrets-manager";
import { afterAll, afterEach, beforeEach, expect, inject } from "vitest";
import type { Subscriber } from "../../shared/delivery/subscriber.ts";
import type { ServiceEndpoints } from "../../tools/local/aws/aws-clients.ts";
import { type MerchantOptions, makeMerchant } from "../builders/merchant.ts";
import { stampSecret, stampVersionId } from "../builders/stamp.ts";
import { dynamodbClient, secretsClient, sqsClient } from "../tools/local/aws/aws-clients.ts";
import {
  createQueue,
  giveBackTables,
  randomName,
  subscribersText,
  takeTables,
} from "./aws-stores.ts";
import { leaksIn } from "./canaries.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { type FunctionName, type Instance, startInstance } from "./instance.ts";
import { faultsOfPublished } from "./published-events.ts";

export interface WorldOptions {
  /** By default one ordered subscriber to everything, `books`. */
  readonly subscribers?: readonly SubscriberOptions[];
  readonly merchant?: MerchantOptions;
  /** What stands in the merchant's secret; `null` for one that was never set. */
  readonly secret?: string | null;
}

interface SubscriberOptions {
  readonly name: string;
  readonly types?: readonly string[];
  readonly merchants?: string[];
  readonly ordered?: boolean;
}

export type World = Awaited<ReturnType<typeof makeWorld>>;

/**
 * Worlds with tables, queues and keys of their own on the emulators of the run. A world that a test makes ends with
 * it, one made before all tests ends after them.
 */
export function useWorlds(): (options?: WorldOptions) => Promise<World> {
  const emulators = inject("emulators");
  const ofFile: World[] = [];
  const ofTest: World[] = [];
  let worlds = ofFile;
  const end = async (ended: World[]) => {
    for (const world of ended.splice(0)) expect(await world.end()).toEqual([]);
  };
  beforeEach(() => {
    worlds = ofTest;
  });
  afterEach(async () => {
    worlds = ofFile;
    await end(ofTest);
  });
  afterAll(() => end(ofFile));
  return async (options = {}) => {
    const world = await makeWorld(emulators, options);
    worlds.push(world);
    return world;
  };
}

async function makeWorld(emulators: ServiceEndpoints, options: WorldOptions) {
  const clients = {
    dynamodb: dynamodbClient(emulators.dynamodb),
    sqs: sqsClient(emulators.sqs),
    secrets: secretsClient(emulators.secretsmanager),
  };
  const merchant = makeMerchant(options.merchant);
  const tables = await takeTables(clients.dynamodb);
  const inboxUrl = await createQueue(clients.sqs, randomName("inbox"), true);
  const deadLettersUrl = await createQueue(clients.sqs, randomName("dead-letters"), true);
  const subscribers: Subscriber[] = [];
  for (const wanted of options.subscribers ?? [{ name: "books" }]) {
    const { name, types = ["*"], merchants, ordered = true } = wanted;
    const queueUrl = await createQueue(clients.sqs, randomName(name), ordered);
    subscribers.push({ name, types: [...types], merchants, queueUrl, ordered });
  }
  const secretId = randomName("callback-keys");
  const SecretString = options.secret === undefined ? merchant.callbackSecret() : options.secret;
  await clients.secrets.send(
    new CreateSecretCommand({ Name: secretId, ...(SecretString !== null && { SecretString }) }),
  );
  const stampKeyId = randomName("stamp-key");
  await clients.secrets.send(
    new CreateSecretCommand({
      Name: stampKeyId,
      SecretString: stampSecret,
      ClientRequestToken: stampVersionId,
    }),
  );
  const instances: Instance[] = [];
  const settings = {
    tables,
    inboxUrl,
    deadLettersUrl,
    subscribers,
    secretId,
    stampKeyId,
    merchant,
  };
  /** Everything that must never be logged; tests add what they send. */
  const canaries = new Set([...secretsOf(merchant.callbackSecret()), stampSecret]);

  return {
    ...settings,
    ...clients,
    canaries,
    /** Starts an instance; `prepare` sets faults that it meets already while it loads. */
    start: async (
      name: FunctionName,
      environment: Readonly<Record<string, string>> = {},
      prepare?: (faults: FaultProxy) => void,
    ) => {
      const variables = { ...environmentOf(name, settings), ...environment };
      const instance = await startInTime(name, emulators, variables, prepare);
      instances.push(instance);
      return instance;
    },
    /** Stops all that runs. Tells what was logged that must not be, and which published events break the contract. */
    end: async (): Promise<string[]> => {
      await Promise.all(instances.map((instance) => instance.stop()));
      for (const client of Object.values(clients)) client.destroy();
      giveBackTables(tables);
      const lines = instances.flatMap((instance) => instance.lines);
      const calls = instances.flatMap(({ faults }) => faults.calls);
      return [...leaksIn(lines, canaries), ...faultsOfPublished(calls)];
    },
  };
}

const mostStarts = 3;

/**
 * A start has 1.5 seconds to fetch keys. A busy machine may use them up, and no test without a fault means that: then
 * another instance is started.
 */
async function startInTime(...start: Parameters<typeof startInstance>): Promise<Instance> {
  const [, , , prepare] = start;
  for (let starts = 1; ; starts += 1) {
    const instance = await startInstance(...start);
    const isLate = instance.lines.some((line) => line.includes('"keys-unreachable"'));
    if (!isLate || prepare !== undefined || starts === mostStarts) return instance;
    await instance.stop();
  }
}

function secretsOf(secret: string): string[] {
  const { aesKey, servicePublicKey } = JSON.parse(secret);
  return [aesKey, ...String(servicePublicKey).split("\n").slice(1, -2)];
}

interface Settings {
  readonly tables: Awaited<ReturnType<typeof takeTables>>;
  readonly inboxUrl: string;
  readonly deadLettersUrl: string;
  readonly subscribers: readonly Subscriber[];
  readonly secretId: string;
  readonly stampKeyId: string;
  readonly merchant: { readonly merchantId: string };
}

function environmentOf(name: FunctionName, settings: Settings): Record<string, string> {
  const { tables, inboxUrl, deadLettersUrl, subscribers, secretId, merchant } = settings;
  const { stampKeyId: STAMP_KEY } = settings;
  switch (name) {
    case "receive-callback":
      return {
        INBOX_QUEUE_URL: inboxUrl,
        STAMP_KEY,
        CALLBACK_KEYS: JSON.stringify({ [merchant.merchantId]: secretId }),
        CALLBACK_MAX_AGE_SECONDS: String(8 * 86_400),
        CALLBACK_MAX_AHEAD_SECONDS: "300",
        PREVIOUS_KEYS_SECONDS: String(8 * 86_400),
      };
    case "process-callback":
      return {
        CALLBACKS_TABLE: tables.callbacks,
        ORDERS_TABLE: tables.orders,
        STAMP_KEY,
        SUBSCRIBERS: subscribersText(subscribers),
        INBOX_QUEUE_URL: inboxUrl,
        INBOX_DEAD_LETTERS_URL: deadLettersUrl,
        RECORD_EXPIRY_DAYS: "90",
        EVENT_SOURCE: "urn:paycast:test",
      };
    case "count-attention":
      return { CALLBACKS_TABLE: tables.callbacks };
    case "create-order":
    case "reconcile-orders":
      return {
        CALLBACKS_TABLE: tables.callbacks,
        ORDERS_TABLE: tables.orders,
        RECORD_EXPIRY_DAYS: "90",
      };
    case "query-order":
      return { ORDERS_TABLE: tables.orders };
  }
}
