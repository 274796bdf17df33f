import {
  Agent,
  createServer,
  type IncomingMessage,
  type RequestListener,
  request as requestOf,
  type ServerResponse,
} from "node:http";
import { buffer as readBuffer } from "node:stream/consumers";
import type { AwsAnswer } from "./aws-error.ts";
import { type Listening, listenOnLoopback, refuseForeign } from "./listen-on-loopback.ts";

export interface Call {
  /** Such as "AmazonSQS.SendMessage". */
  readonly target: string;
  readonly body: Buffer;
  /** The header that names the caller. */
  readonly authorization: string | undefined;
}

interface ProxyOptions {
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** The proxy's own response. Undefined forwards the call. */
  readonly answer?: (call: Call) => AwsAnswer | undefined;
}

/** A proxy in front of an emulator. It forwards everything unchanged, except requests from foreign web pages. */
export async function startProxy(upstream: string, options: ProxyOptions = {}): Promise<Listening> {
  const agent = new Agent({ keepAlive: true });
  const pass: RequestListener = (request, response) => {
    // The caller sees what it would see without an emulator: a connection that closes without a response.
    serve(request, response, { ...options, agent, upstream }).catch(() => response.destroy());
  };
  const server = createServer(refuseForeign(pass));
  const listening = await listenOnLoopback(server, options.port);
  const stop = async () => {
    await listening.stop();
    agent.destroy();
  };
  return { endpoint: listening.endpoint, stop };
}

interface Onward extends ProxyOptions {
  readonly agent: Agent;
  readonly upstream: string;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  onward: Onward,
): Promise<void> {
  const body = await readBuffer(request);
  const { "x-amz-target": target, authorization } = request.headers;
  const answer = onward.answer?.({ target: String(target), body, authorization });
  if (answer === undefined) await passOn(request, body, response, onward);
  else response.writeHead(answer.status, answer.headers).end(answer.text);
}

async function passOn(
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  { agent, upstream }: Onward,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    // As an option: as a part of the URL, a path such as "//other" would be the name of another server.
    const headers = endToEnd(rawHeaders);
    const onward = requestOf(upstream, { agent, method, path: url ?? "/", headers });
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

/** Hop-by-hop headers: they apply to one connection, and a proxy has two. */
const perConnection = new Set(["connection", "keep-alive"]);

/** Name, value, name, value, … in their order and spelling. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const isKept = (index: number) => !perConnection.has(rawHeaders[index]?.toLowerCase() ?? "");
  return rawHeaders.filter((_item, index) => isKept(index - (index % 2)));
}
