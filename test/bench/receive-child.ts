import { once } from "node:events";
import { makeBarePost } from "./bare-post.ts";
import { timed } from "./compare.ts";
import { loadFunction, measureOnRequest, region } from "./load-function.ts";
import { callbackRequest, receiveEnvironment } from "./requests.ts";
import { makeSampleMessage } from "./sample-message.ts";
import { startSink } from "./start-sink.ts";

/*
 * The whole receive-callback as it ships, from API Gateway's event to its answer, and a bare POST of the same bytes to
 * the same server.
 */
const [{ folder }] = await once(process, "message");
const sample = makeSampleMessage();
const { endpoint } = await startSink({ sample });
const receive = await makeReceive();
await receive();
const sent = await (await fetch(endpoint)).text();
const effort = { warmUpCalls: 2_000, callsPerRound: 60 };
measureOnRequest(
  new Map([
    ["whole", timed(() => receive(), effort)],
    ["post", timed(makeBarePost(endpoint, region, sent), effort)],
  ]),
);

async function makeReceive() {
  const environment = receiveEnvironment(sample);
  const handler = await loadFunction("receive-callback", folder, endpoint, environment);
  const event = callbackRequest(sample);
  /** The function gives up a send after three seconds, which a busy machine may take for it once or twice. */
  const receive = async (triesLeft = 5): Promise<void> => {
    const { statusCode } = await handler(event);
    if (statusCode === 200) return;
    if (triesLeft === 0) throw new Error(`The callback was answered ${statusCode}.`);
    await receive(triesLeft - 1);
  };
  return receive;
}
