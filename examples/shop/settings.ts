import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod";

interface Settings {
  readonly isLocal: boolean;
  /** Paycast's storefront API. */
  readonly api: string;
  /** For an API with `"access": "jwt"`. */
  readonly token: string | undefined;
  /** The queue of the shop's subscriber. */
  readonly queueUrl: string;
  readonly sqs: SQSClient;
  readonly waitSeconds: number;
  /** The shop's own address. */
  readonly address: string;
}

/** With PAYCAST_API the shop uses a deployed stack, otherwise the local one, which describes itself in a file. */
export function readSettings(): Settings {
  // The SDK prints which Node its later versions need. Visitors of a demo do not need to know.
  process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] ??= "true";
  const { PAYCAST_API: api, PAYCAST_QUEUE_URL: queueUrl, PAYCAST_TOKEN: token } = process.env;
  if (api === undefined) return localSettings();
  if (queueUrl === undefined) refuse("PAYCAST_QUEUE_URL must name your subscriber's queue.");
  const address = `http://127.0.0.1:${process.env["SHOP_PORT"] ?? "3009"}`;
  return { isLocal: false, api, token, queueUrl, sqs: new SQSClient({}), waitSeconds: 20, address };
}

const localFile = join(process.env["PAYCAST_DIRECTORY"] ?? ".paycast", "local.json");

const localSchema = z.object({
  api: z.string(),
  shop: z.string(),
  region: z.string(),
  aws: z.object({ sqs: z.string() }),
  queues: z.object({
    subscribers: z.object({ fulfilment: z.object({ url: z.string() }) }),
    /** The subscribers whose queue a consumer of the console's Lab reads. */
    readInLab: z.array(z.string()),
  }),
});

const readLocal = () => localSchema.parse(JSON.parse(readFileSync(localFile, "utf8")));

function localSettings(): Settings {
  if (!existsSync(localFile)) {
    refuse("No local stack is running here. Start it in another terminal: npm start");
  }
  const local = readLocal();
  const sqs = new SQSClient({
    endpoint: local.aws.sqs,
    region: local.region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    // The host in a local queue's URL does not exist.
    useQueueUrlAsEndpoint: false,
  });
  return {
    isLocal: true,
    api: local.api,
    token: undefined,
    queueUrl: local.queues.subscribers.fulfilment.url,
    sqs,
    // Short, so that the shop soon notices another consumer of the queue.
    waitSeconds: 1,
    address: local.shop,
  };
}

/** Whether a consumer of the console's Lab reads the shop's queue. */
export function isReadInLab(): boolean {
  return readLocal().queues.readInLab.includes("fulfilment");
}

export function refuse(message: string): never {
  console.error(message);
  process.exit(1);
}
