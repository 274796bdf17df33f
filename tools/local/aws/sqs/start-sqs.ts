import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { parseJson } from "../../../../shared/json/parse-json.ts";
import type { Guard } from "../../permissions/guard.ts";
import { type AwsAnswer, answerInJson, asAwsError } from "../aws-error.ts";
import { answerCalls, type Listening } from "../listen-on-loopback.ts";
import { isDeadLetterQueue } from "./move-tasks.ts";
import { runOperation } from "./operations.ts";
import { readForm, toErrorXml, toXml } from "./query-protocol.ts";
import { available, held, isDelayed, isInFlight, type Queue, wake } from "./queue.ts";
import {
  findByName,
  findQueue,
  openStore,
  type QueueEvents,
  type QueueStore,
  saveQueues,
} from "./queue-store.ts";
import { untilNextVisible } from "./receive-messages.ts";

export interface SqsOptions {
  /** Decides who may call what. Default: everyone may. */
  readonly guard?: Guard | undefined;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** The file for messages between a stop and the next start. Without it the stop discards them. */
  readonly dataFile?: string | undefined;
  /** The time in milliseconds. Default: this machine's clock. */
  readonly now?: (() => number) | undefined;
  readonly tell?: QueueEvents | undefined;
}

export interface RunningSqs extends Listening {
  /** The time until the next invisible or delayed message becomes visible. Infinity if there is none. */
  untilNextVisibleMilliseconds(): number;
  /** Makes pending receives check again, because the time may have moved. */
  lookAgain(): void;
  /** CloudWatch's metrics of each queue. */
  counts(): readonly QueueCounts[];
  /** Whether the queue has no visible message, and none is on its way to a receiver. */
  isQuiet(queueUrl: string): boolean;
}

export interface QueueCounts {
  readonly queueName: string;
  /** Since this start created the queue. */
  readonly sent: number;
  readonly received: number;
  readonly emptyReceives: number;
  readonly deleted: number;
  readonly visible: number;
  readonly inFlight: number;
  /** Of the messages that were received at most three times: SQS ignores the others. */
  readonly oldestSeconds: number;
}

/** A message that was returned more recently than this may be on its way to its receiver. */
const onItsWayMilliseconds = 30;

/** Starts an SQS emulator in this process. docs/decisions/0017-local-sqs.md describes its scope. */
export async function startSqs(options: SqsOptions = {}): Promise<RunningSqs> {
  const { port, dataFile, now = Date.now, tell, guard } = options;
  const store = openStore(dataFile, now, tell);
  const listening = await answerCalls((request, gone) => {
    const check = (operation: string, input: unknown) =>
      guard?.check(request.headers.authorization, () => ({ service: "sqs", operation, input }));
    return answer({ store, check, gone }, request);
  }, port);
  store.endpoint = listening.endpoint;
  const stop = async () => {
    await listening.stop();
    if (dataFile !== undefined) saveQueues(store, dataFile);
  };
  return {
    endpoint: listening.endpoint,
    stop,
    untilNextVisibleMilliseconds: () =>
      Math.min(...[...store.queues.values()].map((queue) => untilNextVisible(queue, now()))),
    lookAgain: () => store.queues.forEach(wake),
    counts: () => [...store.queues.values()].map((queue) => countsOf(store, queue, now())),
    isQuiet: (queueUrl) =>
      performance.now() - store.lastGivenAt > onItsWayMilliseconds &&
      available(findQueue(store, queueUrl), now()).length === 0,
  };
}

const mostReceives = 3;

/** SQS ignores the age of a message that was received often, except in a dead-letter queue. */
function countsOf(store: QueueStore, queue: Queue, now: number): QueueCounts {
  const messages = held(queue, now);
  const hasLetters = isDeadLetterQueue(store, queue);
  const ages = messages
    .filter(({ receiveCount }) => hasLetters || receiveCount <= mostReceives)
    .map(({ sentAtMilliseconds }) => (now - sentAtMilliseconds) / 1_000);
  return {
    queueName: queue.name,
    ...queue.counted,
    inFlight: messages.filter((message) => isInFlight(message, now)).length,
    visible: messages.filter((message) => !isInFlight(message, now) && !isDelayed(message, now))
      .length,
    oldestSeconds: Math.floor(Math.max(0, ...ages)),
  };
}

interface Answering {
  readonly store: QueueStore;
  /** Throws if the caller is not allowed to do this. */
  readonly check: (operation: string, input: unknown) => void;
  readonly gone: AbortSignal;
}

async function answer(answering: Answering, request: IncomingMessage): Promise<AwsAnswer> {
  const { store } = answering;
  if (request.method === "GET") return await answerInJson("sqs", () => show(store, request.url));
  const { "content-type": contentType = "", "x-amz-target": target } = request.headers;
  const text = await readText(request);
  if (contentType.includes("x-www-form-urlencoded")) return await answerForm(answering, text);
  const operation = String(target).replace("AmazonSQS.", "");
  return await answerInJson("sqs", () => run(answering, operation, parseJson(text)));
}

async function run({ store, check, gone }: Answering, operation: string, input: unknown) {
  check(operation, input);
  return await runOperation(store, operation, input, gone);
}

async function answerForm(answering: Answering, form: string): Promise<AwsAnswer> {
  const headers = { "content-type": "text/xml" };
  try {
    const { operation, input } = readForm(form);
    const output = await run(answering, operation, input);
    return { status: 200, headers, text: toXml(operation, output) };
  } catch (error) {
    const refusal = asAwsError(error);
    return { status: refusal.status, headers, text: toErrorXml(refusal) };
  }
}

/**
 * Not part of AWS: `/queues/NAME/messages` lists a queue's messages without a receive, and `/queues/NAME/oldest`
 * returns when its oldest message was sent, which AWS reports as a metric.
 */
function show(store: QueueStore, path = ""): object {
  const [, name = "", page] = /^\/queues\/([^/]+)\/(messages|oldest)$/.exec(path) ?? [];
  const messages = held(findByName(store, decodeURIComponent(name)), store.now());
  if (page === "messages") return messages.map(({ body }) => ({ body }));
  const oldest = messages.reduce(
    (least, message) => Math.min(least, message.sentAtMilliseconds),
    Infinity,
  );
  return messages.length === 0 ? {} : { sentAtMilliseconds: oldest };
}
