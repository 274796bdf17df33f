import { type Call, isSend } from "../integration/fault-proxy.ts";
import type { FunctionName, Instance } from "../integration/instance.ts";
import { callMilliseconds, memoryGigabytes } from "./durations.ts";
import { bytesBesideLine, bytesOfLambda, prices } from "./prices.ts";

/** What one thing that happened has used. */
export interface Usage {
  readonly apiRequests: number;
  readonly invocations: number;
  readonly lambdaMilliseconds: number;
  readonly fifoRequests: number;
  readonly standardRequests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly secretCalls: number;
  readonly logBytes: number;
}

export type Metered = ReadonlyMap<FunctionName, Instance>;

/** Without those that a slow answer made the SDK repeat: only a busy machine has these. */
const callsOf = (metered: Metered) =>
  [...metered.values()].flatMap(({ faults }) => faults.calls).filter(({ isRepeat }) => !isRepeat);

/** Units of all functions since they were started. */
export function usageOf(metered: Metered): Usage {
  const calls = callsOf(metered);
  const written = [...metered].flatMap(([name, instance]) =>
    instance.lines.map((line) => ({ name, line })),
  );
  // An invocation writes one line with an outcome. One without it only counts the end of an order.
  const lines = written.filter(({ line }) => line.includes('"outcome"'));
  const sends = calls.filter(isSend);
  const fifo = sends.filter(({ input }) => String(input["QueueUrl"]).endsWith(".fifo"));
  // Lambda's poller receives and deletes what process-callback gets.
  const polled = 2 * lines.filter(({ name }) => name === "process-callback").length;
  return {
    apiRequests: lines.filter(({ name }) => isBehindApi(name)).length,
    invocations: lines.length,
    lambdaMilliseconds: sum(lines.map(({ name }) => callMilliseconds[name] ?? 0)),
    fifoRequests: sum(fifo.map(chunksOf)) + polled,
    standardRequests: sum(sends.filter((call) => !fifo.includes(call)).map(chunksOf)),
    writeUnits: sum(calls.filter(isWrite).map(unitsOf)),
    readUnits: sum(calls.filter((call) => !isWrite(call)).map(unitsOf)),
    secretCalls: calls.filter(({ service }) => service === "secretsmanager").length,
    logBytes:
      sum(written.map(({ line }) => Buffer.byteLength(line) + bytesBesideLine)) +
      lines.length * bytesOfLambda,
  };
}

function isBehindApi(name: FunctionName): boolean {
  return name !== "process-callback" && name !== "reconcile-orders";
}

/** SQS counts each 64 KiB of a message as a request. */
function chunksOf({ input }: Call): number {
  const attributes = JSON.stringify(input["MessageAttributes"] ?? "");
  const bytes = Buffer.byteLength(String(input["MessageBody"])) + Buffer.byteLength(attributes);
  return Math.ceil(bytes / 65_536);
}

function isWrite({ operation }: Call): boolean {
  return ["TransactWriteItems", "PutItem", "UpdateItem"].includes(operation);
}

function unitsOf({ consumed = [] }: Call): number {
  return sum(consumed.map(({ CapacityUnits }) => CapacityUnits));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function difference(after: Usage, before: Usage): Usage {
  const minus = (name: keyof Usage) => after[name] - before[name];
  return {
    apiRequests: minus("apiRequests"),
    invocations: minus("invocations"),
    lambdaMilliseconds: minus("lambdaMilliseconds"),
    fifoRequests: minus("fifoRequests"),
    standardRequests: minus("standardRequests"),
    writeUnits: minus("writeUnits"),
    readUnits: minus("readUnits"),
    secretCalls: minus("secretCalls"),
    logBytes: minus("logBytes"),
  };
}

/** In US dollars. */
export function priceOf(usage: Usage): number {
  const gigabyteSeconds = (usage.lambdaMilliseconds / 1000) * memoryGigabytes;
  return (
    usage.apiRequests * prices.apiRequest +
    usage.invocations * prices.lambdaInvocation +
    gigabyteSeconds * prices.lambdaGigabyteSecond +
    usage.fifoRequests * prices.sqsFifoRequest +
    usage.standardRequests * prices.sqsStandardRequest +
    usage.writeUnits * prices.writeUnit +
    usage.readUnits * prices.readUnit +
    usage.logBytes * prices.logByte
  );
}
