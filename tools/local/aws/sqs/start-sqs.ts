import type { IncomingMessage } from "node:http";
import { text as readText } from "node:stream/consumers";
import { parseJson } from "../../../../shared/parse-json.ts";
import { type AwsAnswer, answerInJson, asAwsError } from "../aws-error.ts";
import { answerCalls, type Listening } from "../listen-on-loopback.ts";
import { runOperation } from "./operations.ts";
import { readForm, toErrorXml, toXml } from "./query-protocol.ts";
import { held } from "./queue.ts";
import {
  findByName,
  openStore,
  type QueueEvents,
  type QueueStore,
  saveQueues,
} from "./queue-store.ts";

export interface SqsOptions {
  /** Any free port, if it is left out. */
  readonly port?: number | undefined;
  /** The file for messages between a stop and the next start. Without it they are lost at the stop. */
  readonly dataFile?: string | undefined;
  /** The time in milliseconds. Without it, this machine's clock. */
  readonly now?: () => number;
  readonly tell?: QueueEvents | undefined;
}

/** Starts an SQS in this process. docs/decisions/0017-local-sqs.md says what it has. */
export async function startSqs(options: SqsOptions = {}): Promise<Listening> {
  const { port, dataFile, now = Date.now, tell } = options;
  const store = openStore(dataFile, now, tell);
  const listening = await answerCalls((request, gone) => answer(store, request, gone), port);
  store.endpoint = listening.endpoint;
  const stop = async () => {
    await listening.stop();
    if (dataFile !== undefined) saveQueues(store, dataFile);
  };
  return { endpoint: listening.endpoint, stop };
}

async function answer(
  store: QueueStore,
  request: IncomingMessage,
  gone: AbortSignal,
): Promise<AwsAnswer> {
  if (request.method === "GET") return await answerInJson("sqs", () => show(store, request.url));
  const { "content-type": contentType = "", "x-amz-target": target } = request.headers;
  const text = await readText(request);
  if (contentType.includes("x-www-form-urlencoded")) return await answerForm(store, text, gone);
  const operation = String(target).replace("AmazonSQS.", "");
  return await answerInJson("sqs", () => runOperation(store, operation, parseJson(text), gone));
}

async function answerForm(store: QueueStore, form: string, gone: AbortSignal): Promise<AwsAnswer> {
  const headers = { "content-type": "text/xml" };
  try {
    const { operation, input } = readForm(form);
    const output = await runOperation(store, operation, input, gone);
    return { status: 200, headers, text: toXml(operation, output) };
  } catch (error) {
    const refusal = asAwsError(error);
    return { status: refusal.status, headers, text: toErrorXml(refusal) };
  }
}

/**
 * AWS has no such thing: `/queues/NAME/messages` shows what a queue holds without a receive, and `/queues/NAME/oldest`
 * when its oldest message was sent, which AWS tells by a metric.
 */
function show(store: QueueStore, path = ""): object {
  const [, name = "", page] = /^\/queues\/([^/]+)\/(messages|oldest)$/.exec(path) ?? [];
  const messages = held(findByName(store, decodeURIComponent(name)), store.now());
  if (page === "messages") return messages.map(({ body }) => ({ body }));
  const oldest = messages.reduce((least, one) => Math.min(least, one.sentAtMilliseconds), Infinity);
  return messages.length === 0 ? {} : { sentAtMilliseconds: oldest };
}
