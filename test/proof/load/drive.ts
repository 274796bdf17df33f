import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { ask } from "../ask.ts";
import type { Quantiles, Step } from "./step.ts";

/** Something that receives callbacks over HTTP and sends events to a queue. */
export interface Contender {
  readonly name: string;
  readonly url: string;
  /** The body for an order; made before the clock runs. */
  readonly bodyOf: (orderNo: string) => string;
  readonly pid: number;
  /** When the event of an order was in the subscriber's queue. */
  readonly arrivals: ReadonlyMap<string, number>;
}

/** Takes messages out of a queue for as long as the process runs, each batch when `work` has done it. */
export async function readOn(
  sqs: SQSClient,
  QueueUrl: string | undefined,
  work: (bodies: readonly string[]) => Promise<void> | void,
): Promise<never> {
  for (;;) {
    const batch = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(batch));
    if (Messages.length === 0) continue;
    await work(Messages.map(({ Body = "" }) => Body));
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
    }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

/** Notes when each event arrives. */
export function watchQueue(sqs: SQSClient, queueUrl: string): ReadonlyMap<string, number> {
  const arrivals = new Map<string, number>();
  const note = (bodies: readonly string[]) => {
    const now = performance.now();
    for (const body of bodies) arrivals.set(JSON.parse(body).subject, now);
  };
  readOn(sqs, queueUrl, note).catch(() => {});
  return arrivals;
}

let made = 0;

function nextOrderNo(): string {
  made += 1;
  return `LOAD-${made.toString().padStart(9, "0")}`;
}

/**
 * Sends at a constant rate, without waiting for responses: a callback that waits for the one before it would hide the
 * delay. Then waits until all events have arrived, or no more arrive.
 */
export async function drive(contender: Contender, rate: number, seconds: number): Promise<Step> {
  const orders = Array.from({ length: Math.ceil(rate * seconds) }, nextOrderNo);
  const bodies = orders.map(contender.bodyOf);
  const startedAt = performance.now() + 50;
  const send = async (orderNo: string, index: number) => {
    const dueAt = startedAt + (index * 1_000) / rate;
    await wait(Math.max(0, dueAt - performance.now()));
    const { status } = await ask("POST", contender.url, bodies[index]);
    return { orderNo, dueAt, isGood: status === 200, took: performance.now() - dueAt };
  };
  const sent = await Promise.all(orders.map(send));
  const good = sent.filter(({ isGood }) => isGood);
  await untilArrived(contender, good);
  const times = good.map(({ orderNo }) => contender.arrivals.get(orderNo) ?? Number.NaN);
  // From the first to the last: the latency of a single callback does not reduce the throughput.
  const between = Math.max(...times) - Math.min(...times);
  return {
    rate,
    throughput: ((good.length - 1) * 1_000) / between,
    acknowledged: quantilesOf(sent.map(({ took }) => took)),
    queued: quantilesOf(times.map((time, index) => time - (good[index]?.dueAt ?? 0))),
    refused: orders.length - good.length,
    memoryMebibytes: memoryOf(contender.pid),
  };
}

/** An acknowledged callback that never reaches the queue would be lost, which no load excuses. */
async function untilArrived(
  { name, arrivals }: Contender,
  orders: readonly { readonly orderNo: string }[],
): Promise<void> {
  const missing = () => orders.filter(({ orderNo }) => !arrivals.has(orderNo)).length;
  let before = missing();
  for (let still = 0; before > 0; ) {
    await wait(200);
    const now = missing();
    still = now === before ? still + 1 : 0;
    if (still === 300) throw new Error(`${name}: ${now} acknowledged callbacks do not arrive.`);
    before = now;
  }
}

function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.map(Math.round).sort((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

/** Linux only: elsewhere it is not known. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
