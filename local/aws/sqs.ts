import { buildApp } from "fauxqs";
import * as z from "zod";
import { type Emulator, localRegion } from "./emulator.ts";
import { whyForeign } from "./own-host.ts";
import { readKeptMessages, type SqsApp, saveMessages, sendKeptMessages } from "./sqs-keeping.ts";
import { speakOldProtocol } from "./sqs-query.ts";

export interface SqsOptions {
  /** Any free port, if it is left out. */
  readonly port?: number;
  /** The file for messages between a stop and the next start. Without it they are lost at the stop. */
  readonly dataFile?: string;
}

const withQueueUrl = z.looseObject({ QueueUrl: z.string() });
const withQueueUrls = z.looseObject({ QueueUrls: z.array(z.string()) });

/** Starts the SQS emulator in this process. */
export async function startSqs(options: SqsOptions = {}): Promise<Emulator> {
  const app = buildApp({ logger: false, defaultRegion: localRegion });
  let endpoint = "";
  refuseForeign(app);
  useCallableAddresses(app, () => endpoint);
  tellOldest(app);
  speakOldProtocol(app);
  const { dataFile } = options;
  const save = dataFile === undefined ? undefined : keepMessages(app, dataFile);
  endpoint = await app.listen({ host: "127.0.0.1", port: options.port ?? 0 });
  const stop = async () => {
    await save?.();
    await app.close();
  };
  return { endpoint, stop };
}

/** Sends to each queue that is created what an earlier start has kept of it. Gives the function that saves all messages. */
function keepMessages(app: SqsApp, dataFile: string): () => Promise<void> {
  const kept = readKeptMessages(dataFile);
  app.addHook("preSerialization", async (request, _reply, answer) => {
    const created = withQueueUrl.safeParse(answer);
    if (operationOf(request) === "CreateQueue" && created.success) {
      await sendKeptMessages(app, created.data.QueueUrl, kept);
    }
    return answer;
  });
  return () => saveMessages(app, dataFile, kept);
}

function refuseForeign(app: SqsApp): void {
  app.addHook("onRequest", async (request, reply) => {
    const message = whyForeign(request.headers);
    if (message !== undefined) await reply.code(403).send({ message });
  });
}

/**
 * The emulator gives queues an address with a host that does not resolve, and finds a queue only by that address.
 * This changes both: a client gets an address that it can call, and the path alone finds the queue, as at AWS.
 */
function useCallableAddresses(app: SqsApp, endpoint: () => string): void {
  const knownUrls = new Map<string, string>();
  const publicUrl = (queueUrl: string) => {
    const path = pathOf(queueUrl);
    if (!queueUrl.startsWith(endpoint())) knownUrls.set(path, queueUrl);
    return `${endpoint()}${path}`;
  };
  app.addHook("preHandler", async (request) => {
    const body = withQueueUrl.safeParse(request.body);
    if (!body.success) return;
    const known = knownUrls.get(pathOf(body.data.QueueUrl));
    if (known !== undefined) request.body = { ...body.data, QueueUrl: known };
  });
  app.addHook("preSerialization", async (_request, _reply, answer) => {
    const one = withQueueUrl.safeParse(answer);
    if (one.success) return { ...one.data, QueueUrl: publicUrl(one.data.QueueUrl) };
    const many = withQueueUrls.safeParse(answer);
    if (many.success) return { ...many.data, QueueUrls: many.data.QueueUrls.map(publicUrl) };
    return answer;
  });
}

const heldMessages = z.object({
  messages: z.object({
    ready: z.array(z.object({ sentTimestamp: z.number() })),
    inflight: z.array(z.object({ message: z.object({ sentTimestamp: z.number() }) })),
  }),
});

/**
 * SQS tells the age of the oldest message by a metric. The emulator has none, but it shows all messages of a queue: with
 * `?only=oldest` that answer is cut down to the time of the oldest one, since a queue that nobody reads gets long.
 */
function tellOldest(app: SqsApp): void {
  app.addHook("preSerialization", async (request, _reply, answer) => {
    if (!request.url.endsWith("?only=oldest")) return answer;
    const held = heldMessages.safeParse(answer);
    if (!held.success) return answer;
    const { ready, inflight } = held.data.messages;
    const times = [...ready, ...inflight.map(({ message }) => message)];
    const oldest = times.reduce((least, one) => Math.min(least, one.sentTimestamp), Infinity);
    return times.length === 0 ? {} : { oldestSentAtMilliseconds: oldest };
  });
}

function operationOf(request: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
}

function pathOf(queueUrl: string): string {
  return URL.canParse(queueUrl) ? new URL(queueUrl).pathname : queueUrl;
}
