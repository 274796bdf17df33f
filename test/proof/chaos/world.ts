import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "../../../infra/config/config-schema.ts";
import { createAwsClients } from "../../../local/aws/aws-clients.ts";
import { startEmulators } from "../../../local/aws/start-emulators.ts";
import { storeMerchantKeys, storeRotatedKeys } from "../../../local/store-keys.ts";
import { synthesizeTemplate } from "../../../local/synthesize-template.ts";
import { loadOrMakeKeys } from "../../../simulator/merchants/keys-folder.ts";
import { type Simulator, startSimulator } from "../../../simulator/start-simulator.ts";
import { ownPort } from "../../console/own-port.ts";
import { everywhere, type FaultProxy, startFaultProxy } from "../../integration/fault-proxy.ts";
import type { CallbackKeys } from "./check/open-envelope.ts";
import { type Consumers, startConsumers } from "./consumers.ts";
import type { Random } from "./random.ts";
import { type Relay, startRelay } from "./relay.ts";
import { type StackProcess, startStackProcess } from "./stack-process.ts";

const gateway = "https://payments.example.com";

/** Who gets which events. The checker reads the same list. */
export const subscribers = [
  { name: "fulfilment", types: ["payment.order.success", "payment.refund.*"], ordered: true },
  { name: "order-history", types: ["*"], ordered: true },
  { name: "analytics", types: ["payment.order.*"], ordered: false },
];
export const merchantIds = ["ProofOne", "ProofTwo"];

const inboxVisibilitySeconds = 180;

/** Everything that a run works with. */
export interface World {
  readonly directory: string;
  readonly api: string;
  readonly simulator: Simulator;
  readonly relay: Relay;
  readonly proxy: FaultProxy;
  readonly stack: StackProcess;
  readonly consumers: Consumers;
  readonly sqs: ReturnType<typeof createAwsClients>["sqs"];
  /** Every version of each merchant's callback keys so far, the newest first. */
  readonly keysOf: (merchantId: string) => readonly CallbackKeys[];
  readonly stop: () => Promise<void>;
}

/** The emulators and the payment service outlive the stack, as AWS and a real service would. */
export async function startWorld(directory: string, random: Random): Promise<World> {
  mkdirSync(directory, { recursive: true });
  const config = parseConfig({
    ...{ merchants: merchantIds, subscribers, gateway: { baseUrl: gateway } },
    storefront: { access: "open" },
  });
  const keysFolder = join(directory, "keys");
  const [synthesized, merchants, emulators, port] = await Promise.all([
    synthesizeTemplate(config, directory),
    loadOrMakeKeys(keysFolder, merchantIds, undefined),
    startEmulators(),
    ownPort(),
  ]);
  const aws = createAwsClients(emulators);
  const api = `http://127.0.0.1:${port}`;
  const proxy = await startFaultProxy(emulators, () => {}, { isBusy: true });
  const relay = await startRelay(`${api}/callbacks`, random.branch("relay"));
  const known = new Map<string, CallbackKeys[]>();
  const simulator = await startSimulator({
    ...{ merchants, callbackUrl: relay.url, clockSpeed: 20, callbackTimeoutSeconds: 35 },
    onRotate: async (rotated) => {
      known.get(rotated.merchantId)?.unshift(rotated.callbackKeys);
      await storeRotatedKeys(
        aws.secretsmanager,
        stack.description().merchants,
        keysFolder,
        rotated,
      );
    },
  });
  const stack = await startStackProcess({
    ...{ template: hidingBriefly(synthesized.template), port, gateway, merchantIds, directory },
    ...{ assetDirectory: synthesized.assetDirectory, simulator: simulator.url, emulators },
    functionEndpoints: everywhere(proxy.endpoint),
  });
  const described = stack.description();
  await storeMerchantKeys(aws.secretsmanager, described.merchants, keysFolder, () => {});
  for (const { merchantId, callbackKeys } of described.merchants) {
    known.set(merchantId, [await readKeys(aws, callbackKeys)]);
  }
  const queues = Object.entries(described.queues.subscribers).map(([name, { url }]) => [name, url]);
  const consumers = startConsumers(aws.sqs, Object.fromEntries(queues), random.branch("teams"));
  const stop = async () => {
    await consumers.stop();
    await simulator.stop();
    await relay.stop();
    await stack.stop();
    await proxy.stop();
    aws.destroy();
    await emulators.stop();
  };
  const keysOf = (merchantId: string) => known.get(merchantId) ?? [];
  return { directory, api, simulator, relay, proxy, stack, consumers, sqs: aws.sqs, keysOf, stop };
}

/**
 * Deployed, the inbox hides a message for three minutes after its function was killed. A run cannot wait for that after
 * each crash, and a message that comes back sooner, even while it is worked on, is one more thing to withstand.
 */
function hidingBriefly(template: unknown): unknown {
  const deployed = `"VisibilityTimeout":${inboxVisibilitySeconds}`;
  const text = JSON.stringify(template);
  if (!text.includes(deployed)) throw new Error(`The template has no ${deployed}.`);
  return JSON.parse(text.replaceAll(deployed, '"VisibilityTimeout":20'));
}

async function readKeys(
  { secretsmanager }: ReturnType<typeof createAwsClients>,
  SecretId: string,
): Promise<CallbackKeys> {
  const { GetSecretValueCommand } = await import("@aws-sdk/client-secrets-manager");
  const { SecretString } = await secretsmanager.send(new GetSecretValueCommand({ SecretId }));
  return JSON.parse(SecretString ?? "");
}
