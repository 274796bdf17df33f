import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../infra/lambda/bundle.ts";
import { makeBarePost } from "./bare-post.ts";
import { sealed } from "./callback-way.ts";
import { timed } from "./compare.ts";
import { makeSampleMessage } from "./sample-message.ts";
import { startSink } from "./start-sink.ts";

/*
 * The whole receive-callback as it ships, from API Gateway's event to its answer, and a bare POST of the same bytes to
 * the same server. Measures a round of the one that a message names.
 */
const [{ folder }] = await once(process, "message");
const region = "eu-west-1";
const sample = makeSampleMessage();
const { endpoint } = await startSink(sample);
Object.assign(process.env, {
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: "key",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_ENDPOINT_URL: endpoint,
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
  INBOX_QUEUE_URL: `https://sqs.${region}.amazonaws.com/123456789012/inbox.fifo`,
  STAMP_KEY: "keys",
  CALLBACK_KEYS: JSON.stringify({ [sample.merchantId]: "keys" }),
  CALLBACK_MAX_AGE_SECONDS: "691200",
  CALLBACK_MAX_AHEAD_SECONDS: "300",
  PREVIOUS_KEYS_SECONDS: "691200",
  METRICS_NAMESPACE: "Paycast",
  // Lambda sets it for each call.
  _X_AMZN_TRACE_ID: "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0",
});

const receive = await makeReceive();
await receive();
const sent = await (await fetch(endpoint)).text();
const effort = { warmUpCalls: 2_000, callsPerRound: 60 };
const ways = new Map([
  ["whole", timed(() => receive(), effort)],
  ["post", timed(makeBarePost(endpoint, region, sent), effort)],
]);
process.once("disconnect", () => process.exit());
process.on("message", async (name: string) => process.send?.(await ways.get(name)?.()));
process.send?.("ready");

async function makeReceive() {
  const entry = fileURLToPath(new URL("../../functions/receive-callback.ts", import.meta.url));
  const { directory } = await bundle("receive-callback", entry, folder);
  const { handler } = await import(pathToFileURL(join(directory, "index.mjs")).href);
  const event = {
    body: JSON.stringify(sealed(sample, {})),
    isBase64Encoded: false,
    requestContext: { http: { sourceIp: "203.0.113.7" } },
  };
  /** The function gives up a send after three seconds, which a busy machine may take for it once or twice. */
  const receive = async (triesLeft = 5): Promise<void> => {
    const { statusCode } = await handler(event);
    if (statusCode === 200) return;
    if (triesLeft === 0) throw new Error(`The callback was answered ${statusCode}.`);
    await receive(triesLeft - 1);
  };
  return receive;
}
