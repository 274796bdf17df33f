import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";
import { type Authorize, unsigned, withSignature, withToken } from "./authorize.ts";

// The SDK announces which Node its later versions want. That is nothing for the visitor of a demo.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";

export interface Settings {
  /** Paycast's storefront API. */
  readonly api: string;
  readonly authorize: Authorize;
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  /** Where this shop listens, and where the checkout sends the customer back to. */
  readonly address: string;
}

/** A message for the person who started the shop. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** The fields of `.paycast/local.json` that this shop uses. */
const localSchema = z.object({
  api: z.string(),
  shop: z.string(),
  region: z.string(),
  aws: z.object({ sqs: z.string() }),
  queues: z.object({ subscribers: z.record(z.string(), z.object({ url: z.string() })) }),
});

/** With `PAYCAST_API` a deployed stack, otherwise the local one, which describes itself in a file. */
export async function readSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const api = environment["PAYCAST_API"];
  return api === undefined ? await localSettings(environment) : deployedSettings(api, environment);
}

/** The subscriber that this shop reads: it wants paid orders and refunds. */
const subscriber = "fulfilment";

async function localSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const file = join(environment["PAYCAST_DIRECTORY"] ?? ".paycast", "local.json");
  const { api, shop, aws, region, queues } = readDescription(file);
  await refuseUnlessRunning(api);
  const queueUrl = queues.subscribers[subscriber]?.url;
  if (queueUrl === undefined) {
    throw new SettingsError(
      `The stack's config has no subscriber ${subscriber}. The shop reads its queue.`,
    );
  }
  const sqs = new SQSClient({
    endpoint: aws.sqs,
    region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    // The host in a local queue's address does not exist.
    useQueueUrlAsEndpoint: false,
  });
  return { api, authorize: unsigned, sqs, queueUrl, address: shop };
}

function readDescription(file: string): z.output<typeof localSchema> {
  try {
    return localSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (cause) {
    throw new SettingsError("No local stack runs here. Start it in another terminal: npm start", {
      cause,
    });
  }
}

/** A stack that crashed leaves its file behind. */
async function refuseUnlessRunning(api: string): Promise<void> {
  try {
    await fetch(api, { signal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    const message = `The local stack does not answer at ${api}. Start it again: npm start`;
    throw new SettingsError(message, { cause });
  }
}

function deployedSettings(api: string, environment: NodeJS.ProcessEnv): Settings {
  const { PAYCAST_QUEUE_URL: queueUrl, PAYCAST_TOKEN: token, SHOP_PORT = "3009" } = environment;
  if (queueUrl === undefined) {
    throw new SettingsError("PAYCAST_QUEUE_URL must name the queue of your subscriber.");
  }
  const sqs = new SQSClient({});
  const authorize = token === undefined ? withSignature(sqs) : withToken(token);
  return { api, authorize, sqs, queueUrl, address: `http://127.0.0.1:${SHOP_PORT}` };
}
