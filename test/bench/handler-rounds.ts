import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../infra/lambda/bundle.ts";
import { makeBarePost } from "./bare-post.ts";
import { sealed } from "./callback-way.ts";
import { measure, median, medianRatio } from "./measure.ts";
import { profileParts } from "./parts.ts";
import { makeSampleMessage } from "./sample-message.ts";
import { startSink } from "./start-sink.ts";

/*
 * The whole receive-callback as it ships, from API Gateway's event to its answer, against a bare POST of the same bytes
 * to the same server. Runs in a process of its own, because the function writes a log line for each call.
 */
const region = "eu-west-1";
const sample = makeSampleMessage();
const { endpoint, firstMessage, stop } = await startSink(sample);
Object.assign(process.env, {
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: "key",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_ENDPOINT_URL: endpoint,
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

const { receive, profile } = await makeReceive();
await receive();
const bare = makeBarePost(endpoint, region, await firstMessage);
const ways = { receive: () => receive(), bare };
const timings = await measure(ways, { warmUpCalls: 2_000, rounds: 31, callsPerRound: 60 });
process.send?.({
  ratio: medianRatio(timings, "receive", "bare"),
  microseconds: median(timings["receive"] ?? []),
  bareMicroseconds: median(timings["bare"] ?? []),
  parts: await profile(),
});
stop();
process.exit();

async function makeReceive() {
  const folder = mkdtempSync(join(tmpdir(), "paycast-bench-"));
  const entry = fileURLToPath(new URL("../../functions/receive-callback.ts", import.meta.url));
  const { directory } = await bundle("receive-callback", entry, folder);
  const url = pathToFileURL(join(directory, "index.mjs")).href;
  const { handler } = await import(url);
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
  const profile = async () => {
    const many = async () => {
      for (let calls = 0; calls < 2_000; calls++) await receive();
    };
    const parts = await profileParts(many, url, join(folder, "maps", "receive-callback.mjs.map"));
    rmSync(folder, { recursive: true });
    return parts;
  };
  return { receive, profile };
}
