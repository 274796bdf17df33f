import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../infra/lambda/bundle.ts";
import { makeBarePost } from "./bare-post.ts";
import { sealed } from "./callback-way.ts";
import { measure, median, medianRatio } from "./measure.ts";
import { makeSampleMessage } from "./sample-message.ts";

/*
 * The whole receive-callback as it ships, from API Gateway's event to its answer, against a bare POST of the same bytes
 * to the same server. Runs in a process of its own, because the function writes a log line for each call.
 */
const region = "eu-west-1";
const sample = makeSampleMessage();
const stdio = ["ignore", "ignore", "inherit", "ipc"] as const;
const sink = fork(new URL("sink.ts", import.meta.url), { stdio: [...stdio] });
const aesKey = sample.aesKey.toString("base64");
sink.send(JSON.stringify({ aesKey, servicePublicKey: sample.publicPem }));
const [{ port }] = await once(sink, "message");
const endpoint = `http://127.0.0.1:${port}`;
Object.assign(process.env, {
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: "key",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_ENDPOINT_URL: endpoint,
  INBOX_QUEUE_URL: `https://sqs.${region}.amazonaws.com/123456789012/inbox.fifo`,
  CALLBACK_KEYS: JSON.stringify({ [sample.merchantId]: "keys" }),
  CALLBACK_MAX_AGE_SECONDS: "691200",
  CALLBACK_MAX_AHEAD_SECONDS: "300",
  PREVIOUS_KEYS_SECONDS: "691200",
  METRICS_NAMESPACE: "Paycast",
});

const receive = await makeReceive();
const [[body]] = await Promise.all([once(sink, "message"), receive()]);
const ways = { receive, bare: makeBarePost(endpoint, region, String(body)) };
const timings = await measure(ways, { warmUpCalls: 2_000, rounds: 31, callsPerRound: 60 });
process.send?.({
  ratio: medianRatio(timings, "receive", "bare"),
  microseconds: median(timings["receive"] ?? []),
  bareMicroseconds: median(timings["bare"] ?? []),
});
sink.disconnect();
process.exit();

async function makeReceive(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-bench-"));
  const entry = fileURLToPath(new URL("../../functions/receive-callback.ts", import.meta.url));
  const { directory } = await bundle("receive-callback", entry, folder);
  const { handler } = await import(pathToFileURL(join(directory, "index.mjs")).href);
  rmSync(folder, { recursive: true });
  const event = {
    body: JSON.stringify(sealed(sample, {})),
    isBase64Encoded: false,
    requestContext: { http: { sourceIp: "203.0.113.7" } },
  };
  return async () => {
    const { statusCode } = await handler(event);
    if (statusCode !== 200) throw new Error(`The callback was answered ${statusCode}.`);
  };
}
