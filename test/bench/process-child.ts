import { once } from "node:events";
import { makeBarePost } from "./bare-post.ts";
import { timed } from "./compare.ts";
import { loadFunction, measureOnRequest, region } from "./load-function.ts";
import { inboxRecords, processEnvironment } from "./requests.ts";
import { makeSampleMessage } from "./sample-message.ts";
import { startSink } from "./start-sink.ts";

/*
 * The whole process-callback as it ships, from a batch of the inbox to its response, with one message and with ten. A
 * bare POST of one message to the same server is the yardstick.
 */
const [{ folder }] = await once(process, "message");
const sample = makeSampleMessage();
const { endpoint } = await startSink({ sample });
const environment = processEnvironment();
const handler = await loadFunction("process-callback", folder, endpoint, environment);
const records = inboxRecords(sample, 10);
const [first] = records;
const posted = JSON.stringify({ QueueUrl: environment.INBOX_QUEUE_URL, MessageBody: first?.body });

async function processBatch(batch: readonly object[]): Promise<void> {
  const context = { getRemainingTimeInMillis: () => 30_000 };
  const { batchItemFailures } = await handler({ Records: batch }, context);
  if (batchItemFailures.length > 0) throw new Error("Messages were returned to the inbox.");
}

const perMessage = (measure: () => Promise<number>) => async () => (await measure()) / 10;
measureOnRequest(
  new Map([
    ["ten", perMessage(timed(() => processBatch(records), { warmUpCalls: 200, callsPerRound: 8 }))],
    ["one", timed(() => processBatch([first ?? {}]), { warmUpCalls: 1_000, callsPerRound: 60 })],
    [
      "post",
      timed(makeBarePost(endpoint, region, posted), { warmUpCalls: 2_000, callsPerRound: 100 }),
    ],
  ]),
);
