import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request as requestOf,
  type ServerResponse,
} from "node:http";
import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";
import { type AwsRefusal, refusalAnswer, serviceUnavailable, unknownQueue } from "./aws-refusal.ts";
import { type Listening, listenOnLoopback } from "./listen-on-loopback.ts";
import { onlyAtOwnHost } from "./own-host.ts";

export type GatedService = "sqs" | "dynamodb";

/**
 * Stands between the functions and two of the emulators. It passes everything on unchanged, until somebody takes a
 * service or a queue away. Only the functions go through it, so the console can always look.
 */
export interface Gate {
  /** The functions call the services here. */
  readonly endpoints: Readonly<Record<GatedService, string>>;
  readonly setOutage: (service: GatedService, isOn: boolean) => void;
  /** A queue that is gone refuses every message, as a deleted one does. */
  readonly setQueueGone: (queueUrl: string, isGone: boolean) => void;
  readonly isOut: (service: GatedService) => boolean;
  readonly isQueueGone: (queueUrl: string) => boolean;
  stop(): Promise<void>;
}

export async function startGate(services: Readonly<Record<GatedService, string>>): Promise<Gate> {
  const outages = new Set<GatedService>();
  const goneQueues = new Set<string>();
  const agent = new Agent({ keepAlive: true });
  const refusalFor = (service: GatedService, call: Call): AwsRefusal | undefined => {
    if (outages.has(service)) return serviceUnavailable(service);
    const isGone = goneQueues.size > 0 && service === "sqs" && isSendTo(goneQueues, call);
    return isGone ? unknownQueue : undefined;
  };
  const open = (service: GatedService) =>
    listen({ agent, upstream: services[service], refusalOf: (call) => refusalFor(service, call) });
  const [sqs, dynamodb] = await Promise.all([open("sqs"), open("dynamodb")]);
  return {
    endpoints: { sqs: sqs.endpoint, dynamodb: dynamodb.endpoint },
    setOutage: (service, isOn) => void (isOn ? outages.add(service) : outages.delete(service)),
    setQueueGone: (url, isGone) => {
      if (isGone) goneQueues.add(pathOf(url));
      else goneQueues.delete(pathOf(url));
    },
    isOut: (service) => outages.has(service),
    isQueueGone: (url) => goneQueues.has(pathOf(url)),
    stop: async () => {
      await Promise.all([sqs.stop(), dynamodb.stop()]);
      agent.destroy();
    },
  };
}

interface Call {
  /** Such as "AmazonSQS.SendMessage". */
  readonly target: string;
  readonly body: Buffer;
}

interface Door {
  readonly agent: Agent;
  readonly upstream: string;
  readonly refusalOf: (call: Call) => AwsRefusal | undefined;
}

async function listen(door: Door): Promise<Listening> {
  const pass: RequestListener = (request, response) => {
    // The caller sees what it would see if the emulator had gone: a connection without an answer.
    serve(door, request, response).catch(() => response.destroy());
  };
  const server = createServer(onlyAtOwnHost(pass));
  return await listenOnLoopback(server);
}

async function serve(
  { agent, upstream, refusalOf }: Door,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const refusal = refusalOf({ target: String(request.headers["x-amz-target"]), body });
  if (refusal !== undefined) {
    const { status, headers, text } = refusalAnswer(refusal);
    response.writeHead(status, headers).end(text);
    return;
  }
  await passOn(request, body, response, { agent, upstream });
}

async function passOn(
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  { agent, upstream }: Pick<Door, "agent" | "upstream">,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onward = requestOf(new URL(url ?? "/", upstream), {
      agent,
      method,
      headers: endToEnd(rawHeaders),
    });
    onward.once("response", (answer) => {
      response.sendDate = false;
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders));
      answer.pipe(response);
      answer.once("end", resolve).once("error", reject);
    });
    onward.once("error", reject);
    response.once("close", () => onward.destroy());
    onward.end(body);
  });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** These are about one connection, and the gate has one on each side. */
const perConnection = new Set(["connection", "keep-alive"]);

/** Name, value, name, value, … in their order and spelling. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const isKept = (index: number) => !perConnection.has(rawHeaders[index]?.toLowerCase() ?? "");
  return rawHeaders.filter((_, index) => isKept(index - (index % 2)));
}

const sendSchema = z.object({ QueueUrl: z.string() });

function isSendTo(queues: ReadonlySet<string>, { target, body }: Call): boolean {
  if (!/^AmazonSQS\.SendMessage(Batch)?$/.test(target)) return false;
  const sent = sendSchema.safeParse(parseJson(body.toString("utf8")));
  return sent.success && queues.has(pathOf(sent.data.QueueUrl));
}

/** SQS finds a queue by the path of its address alone. */
function pathOf(queueUrl: string): string {
  return URL.canParse(queueUrl) ? new URL(queueUrl).pathname : queueUrl;
}
