import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";

/** Something that takes callbacks over HTTP and puts events into a queue. */
export interface Contender {
  readonly name: string;
  readonly url: string;
  /** The body for an order; made before the clock runs. */
  readonly bodyOf: (orderNo: string) => string;
  readonly pid: number;
  /** When the event of an order was in the subscriber's queue. */
  readonly arrivals: Map<string, number>;
}

/** What happened at one rate. Times in milliseconds, from the moment at which the callback was to be sent. */
export interface Step {
  readonly rate: number;
  /** Callbacks a second that reached the queue. */
  readonly throughput: number;
  readonly acknowledged: Quantiles;
  readonly queued: Quantiles;
  readonly refused: number;
  readonly memoryMebibytes: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

/** Notes when each event arrives, for as long as the process runs. */
export async function watchQueue(sqs: SQSClient, QueueUrl: string, arrivals: Map<string, number>) {
  for (;;) {
    const command = { QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 };
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(command));
    const now = performance.now();
    for (const { Body = "" } of Messages) arrivals.set(JSON.parse(Body).subject, now);
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({
      ...{ Id: String(index), ReceiptHandle },
    }));
    if (Entries.length === 0) continue;
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  }
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
let made = 0;

/**
 * Sends at a constant rate, whatever the answers do: a callback that waits for the one before it would hide the wait.
 * Then waits until all events are there, or nothing moves any more.
 */
export async function drive(contender: Contender, rate: number, seconds: number): Promise<Step> {
  const orders = Array.from({ length: Math.ceil(rate * seconds) }, () => {
    made += 1;
    return `LOAD-${made.toString().padStart(9, "0")}`;
  });
  const bodies = orders.map((orderNo) => contender.bodyOf(orderNo));
  const startedAt = performance.now() + 50;
  const dueAt = orders.map((_, index) => startedAt + (index * 1_000) / rate);
  const answers = orders.map(async (_, index) => {
    await wait(Math.max(0, (dueAt[index] ?? 0) - performance.now()));
    const status = await post(contender.url, bodies[index] ?? "");
    return { isGood: status === 200, took: performance.now() - (dueAt[index] ?? 0) };
  });
  const answered = await Promise.all(answers);
  const good = orders.filter((_, index) => answered[index]?.isGood);
  await untilArrived(contender, good);
  const times = good.map((orderNo) => contender.arrivals.get(orderNo) ?? Number.NaN);
  // From the first to the last: the time of one callback through the stack is no lack of throughput.
  const between = Math.max(...times) - Math.min(...times);
  return {
    ...{
      rate,
      throughput: ((good.length - 1) * 1_000) / between,
      refused: orders.length - good.length,
    },
    acknowledged: quantilesOf(answered.map((answer) => answer.took)),
    queued: quantilesOf(
      good.map((orderNo, index) => times[index]! - dueAt[orders.indexOf(orderNo)]!),
    ),
    memoryMebibytes: memoryOf(contender.pid),
  };
}

async function post(url: string, body: string): Promise<number> {
  return await new Promise((resolve) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const sent = request(url, { method: "POST", agent, headers }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.once("error", () => resolve(0)).end(body);
  });
}

/** An acknowledged callback that never reaches the queue would be lost, which no load excuses. */
async function untilArrived({ name, arrivals }: Contender, orders: readonly string[]) {
  const missing = () => orders.filter((orderNo) => !arrivals.has(orderNo)).length;
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
  const sorted = times.map(Math.round).sort((one, other) => one - other);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { p50: at(0.5) ?? 0, p99: at(0.99) ?? 0 };
}

/** Linux only: elsewhere it is not known. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes = "0"] =
      /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0;
  }
}
