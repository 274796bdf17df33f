import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { storeRotatedKeys } from "../../../tools/local/payment-service.ts";
import { startSimulator } from "../../../tools/simulator/start-simulator.ts";
import { ownPort } from "../../tools/console/own-port.ts";
import { keysFolder, prepareStack } from "../stack.ts";
import { startStackProcess } from "../stack-process.ts";
import type { CallbackKeys, Rotation } from "./check/open-envelope.ts";
import { startConsumers } from "./consumers.ts";
import type { Disturbance } from "./disturbance.ts";
import { type StolenKeys, watchInbox } from "./forgers.ts";
import { createTime, passTime } from "./passing-time.ts";
import type { Random } from "./random.ts";
import { startRelay } from "./relay.ts";
import { startServiceLine } from "./service-line.ts";

export const merchantIds = ["ProofOne", "ProofTwo"];

/** Who gets which events. The checker reads the same list. */
export const subscribers = [
  { name: "fulfilment", types: ["payment.order.success", "payment.refund.*"], ordered: true },
  { name: "order-history", types: ["*"], ordered: true },
  { name: "analytics", types: ["payment.order.*"], merchants: ["ProofTwo"], ordered: false },
];

/** Everything that a run works with. */
export type World = Awaited<ReturnType<typeof startWorld>>;

/** The emulators and the payment service outlive the stack, as AWS and a real service would. */
export async function startWorld(random: Random) {
  const time = createTime();
  const { now } = time;
  const prepared = await prepareStack({ merchantIds, subscribers, isBusy: true, now });
  const { settings, merchants, proxy, aws, queues: emulated } = prepared;
  const { directory } = settings;
  const port = await ownPort();
  const api = `http://127.0.0.1:${port}`;
  const relay = await startRelay(`${api}/callbacks`, random.branch("relay"), now);
  const folder = keysFolder(directory);
  const known = new Map(
    merchantIds.map((merchantId) => [merchantId, [readKeys(folder, merchantId)]]),
  );
  const stolen: StolenKeys[] = merchants.map(({ merchantId, aesKey, servicePrivateKey }) => {
    return { merchantId, aesKey, servicePrivateKey };
  });
  const rotations: Rotation[] = [];
  const simulator = await startSimulator({
    merchants,
    callbackUrl: relay.url,
    clockSpeed: 20,
    now,
    callbackTimeoutSeconds: 35,
    onRotate: async (rotated) => {
      const fromMilliseconds = now();
      known.get(rotated.merchantId)?.unshift(rotated.callbackKeys);
      stolen.push(rotated.service);
      const stored = stack.description().merchants;
      await storeRotatedKeys(aws.secretsmanager, stored, folder, rotated);
      const { merchantId } = rotated;
      rotations.push({ merchantId, fromMilliseconds, untilMilliseconds: now() });
    },
  });
  const template = hidingBriefly(settings.template);
  const serviceLine = await startServiceLine(() => simulator.url, now);
  const gateway = { simulator: serviceLine.url };
  const stack = await startStackProcess(
    { ...settings, template, port, ...gateway },
    time.aheadMilliseconds,
  );
  const queues = Object.entries(stack.description().queues.subscribers);
  const urls = Object.fromEntries(queues.map(([name, { url }]) => [name, url]));
  const consumers = startConsumers(aws.sqs, urls, random.branch("teams"), now);
  const inbox = watchInbox(proxy, aws.sqs, stack.description().queues.inbox);
  const passed: Disturbance[] = [];
  return {
    now,
    inbox,
    /** All keys with which the service has ever sealed, the oldest first. */
    stolen,
    rotations,
    putStampKey: async () => {
      const { functions } = stack.description();
      const SecretId = functions["process-callback"]?.environment["STAMP_KEY"];
      const SecretString = randomBytes(32).toString("hex");
      await aws.secretsmanager.send(new PutSecretValueCommand({ SecretId, SecretString }));
    },
    /** Moves everyone's clock by this many seconds, in one step. */
    pass: async (seconds: number) => {
      const fromMilliseconds = now();
      await passTime({ time, queues: emulated, simulator, stack }, seconds);
      const times = { fromMilliseconds, untilMilliseconds: now() };
      passed.push({ what: `${seconds} s pass`, ...times, sparesCalls: true });
    },
    /** When the clock jumped. */
    passed,
    directory,
    api,
    simulator,
    relay,
    serviceLine,
    proxy,
    stack,
    consumers,
    sqs: aws.sqs,
    dynamodb: aws.dynamodb,
    /** Every version of a merchant's callback keys so far, the newest first. */
    keysOf: (merchantId: string): readonly CallbackKeys[] => known.get(merchantId) ?? [],
    stop: async () => {
      for (const part of [consumers, simulator, relay, stack, serviceLine, prepared])
        await part.stop();
    },
  };
}

/**
 * In a deployed stack the inbox hides the message of a killed function for three minutes. A run cannot wait for that
 * after each crash. A message that is visible sooner, even while it is processed, is one more disturbance.
 */
function hidingBriefly(template: unknown): unknown {
  const deployed = '"VisibilityTimeout":180';
  const text = JSON.stringify(template);
  if (!text.includes(deployed)) throw new Error(`The template has no ${deployed}.`);
  return JSON.parse(text.replaceAll(deployed, '"VisibilityTimeout":20'));
}

function readKeys(folder: string, merchantId: string): CallbackKeys {
  return JSON.parse(readFileSync(join(folder, merchantId, "callback-keys.json"), "utf8"));
}
