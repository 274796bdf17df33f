import { once } from "node:events";
import { prepareFunction } from "../../bench/load-function.ts";
import { calls, isCallName } from "./call.ts";

/*
 * Imports a function and calls it, and reports how long each took. Waits in between, so that the parent can limit this
 * process to its share of a core before it begins.
 */
const [{ name, folder, endpoint, sample, warmCalls }] = await once(process, "message");
if (!isCallName(name)) throw new Error(`No such call: ${name}.`);
const call = calls[name];
sample.aesKey = Buffer.from(sample.aesKey);
const { functionName } = call;
const event = call.event(sample);
const context = { getRemainingTimeInMillis: () => 30_000 };
const environment = call.environment(sample, endpoint);
const load = await prepareFunction(functionName, folder, endpoint, environment);
process.send?.("prepared");
await once(process, "message");

const importBegan = performance.now();
const handler = await load();
const importMilliseconds = performance.now() - importBegan;
const first = await callOnce();
const warm: number[] = [];
for (let index = 0; index < warmCalls; index += 1) warm.push(await callOnce());
process.send?.({ importMilliseconds, first, warm });

async function callOnce(): Promise<number> {
  const called = functionName === "create-order" ? call.event(sample) : event;
  const began = performance.now();
  const response = await handler(called, context);
  const milliseconds = performance.now() - began;
  if (!call.isRight(response)) throw new Error(`${name}: ${JSON.stringify(response)}`);
  return milliseconds;
}
