import { parentPort, workerData } from "node:worker_threads";
import { skipPauses, skipped } from "./skip-pauses.mjs";

/*
 * Runs inside a worker: loads one built bundle and hands it events, several at a time if asked to. Its clock can be
 * moved from outside; ending the worker is what a crash of the function is.
 */

const realNow = Date.now;
const offset = new BigInt64Array(workerData.clock);
Date.now = () => realNow() + Number(offset[0]);
skipPauses((milliseconds) => Atomics.add(offset, 0, BigInt(milliseconds)));

// By the same way as the answers, so that a test that has an answer also has the lines that were written before it.
const write = (text) => {
  parentPort.postMessage({ kind: "wrote", text: String(text) });
  return true;
};
process.stdout.write = write;
process.stderr.write = write;

async function handle(handler, { id, event, remainingMilliseconds }) {
  const elapsed = () => realNow() + skipped();
  const deadline = elapsed() + remainingMilliseconds;
  const context = {
    awsRequestId: `request-${id}`,
    getRemainingTimeInMillis: () => Math.max(0, deadline - elapsed()),
  };
  try {
    parentPort.postMessage({ id, kind: "returned", value: await handler(event, context) });
  } catch (error) {
    parentPort.postMessage({ id, kind: "threw", reason: String(error?.stack ?? error) });
  }
}

const { handler } = await import(workerData.moduleUrl);
parentPort.on("message", (message) => void handle(handler, message));
parentPort.postMessage({ kind: "ready" });
