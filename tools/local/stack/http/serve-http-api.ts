import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { type Listening, listenOnLoopback, whyForeign } from "../../aws/listen-on-loopback.ts";
import type { RunningFunction } from "../functions/run-function.ts";
import type { StackLog } from "../functions/stack-event.ts";
import {
  allows,
  answerPreflight,
  type Cors,
  corsHeaders,
  type HttpAnswer,
  messageAnswer,
  toHttpAnswer,
} from "./http-answer.ts";
import { type HttpApi, matchRoute } from "./http-api.ts";
import { pathOf, type ReceivedRequest, receiveRequest, toHttpEvent } from "./http-event.ts";

const maxBodyBytes = 10 * 1024 * 1024;

export interface ServedHttpApi extends Listening {
  /** Before this and after `close` every request gets a 503. */
  open(api: HttpApi): void;
  close(): void;
}

/**
 * Behaves like an HTTP API of API Gateway. The server starts before it has routes, because the functions behind them
 * need its address in their environment.
 */
export async function serveHttpApi(options: {
  readonly port: number;
  readonly log: StackLog;
  /** The stack's time. */
  readonly now: () => number;
}): Promise<ServedHttpApi> {
  const { now } = options;
  let api: HttpApi | undefined;
  const server = createServer(async (request, response) => {
    const startedMilliseconds = performance.now();
    const received = await receiveRequest(request, maxBodyBytes).catch(() => undefined);
    // The client closed the connection, so there is no one to respond to.
    if (received === undefined) return;
    const { answer, functionName } = await answerRequest(() => api, now, request.headers, received);
    send(response, answer, api?.cors, request.headers.origin);
    options.log({
      kind: "request",
      method: request.method ?? "GET",
      path: pathOf(request.url ?? "/"),
      status: answer.status,
      durationMilliseconds: performance.now() - startedMilliseconds,
      ...(functionName !== undefined && { functionName }),
    });
  });
  const listening = await listenOnLoopback(server, options.port);
  const setApi = (next?: HttpApi) => {
    api = next;
  };
  const stop = async () => {
    // Send the responses of stopped functions first.
    await new Promise(setImmediate);
    await listening.stop();
  };
  return { endpoint: listening.endpoint, open: setApi, close: setApi, stop };
}

interface Answered {
  readonly answer: HttpAnswer;
  readonly functionName?: string;
}

async function answerRequest(
  findApi: () => HttpApi | undefined,
  now: () => number,
  headers: IncomingHttpHeaders,
  received: ReceivedRequest | "too-large",
): Promise<Answered> {
  if (received === "too-large") return { answer: messageAnswer(413, "Request Entity Too Large") };
  const { cors, routes } = findApi() ?? {};
  const foreign = whyForeign(headers, (origin) => cors !== undefined && allows(cors, origin));
  if (foreign !== undefined) return { answer: messageAnswer(403, foreign) };
  if (cors !== undefined && received.method === "OPTIONS") {
    return { answer: answerPreflight(cors, headers.origin) };
  }
  if (routes === undefined) return { answer: notServing };
  const matched = matchRoute(routes, received.method, pathOf(received.url));
  if (matched === undefined) return { answer: messageAnswer(404, "Not Found") };
  const { routeKey, running, timeoutMilliseconds } = matched.route;
  const event = toHttpEvent(received, {
    routeKey,
    pathParameters: matched.pathParameters,
    requestId: randomUUID(),
    nowMilliseconds: now(),
  });
  const answer = await askFunction(running, event, timeoutMilliseconds);
  // A function that stops with the stack has not failed.
  const wasStopped = answer.status === 500 && findApi() === undefined;
  return { answer: wasStopped ? notServing : answer, functionName: running.definition.label };
}

const unavailable = messageAnswer(503, "The local stack is starting or stopping.");
const notServing = { ...unavailable, headers: { ...unavailable.headers, "retry-after": "1" } };

async function askFunction(
  running: RunningFunction,
  event: object,
  timeoutMilliseconds: number,
): Promise<HttpAnswer> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const late = new Promise<HttpAnswer>((resolve) => {
    timer = setTimeout(() => {
      isLate = true;
      resolve(messageAnswer(503, "Service Unavailable"));
    }, timeoutMilliseconds);
  });
  const asked = running
    .invoke(event, () => !isLate)
    .then((result) =>
      result.ok ? toHttpAnswer(result.json) : messageAnswer(500, "Internal Server Error"),
    );
  return await Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

function send(
  response: ServerResponse<IncomingMessage>,
  answer: HttpAnswer,
  cors: Cors | undefined,
  origin: string | undefined,
): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(cors && corsHeaders(cors, origin)),
    ...(answer.status !== 204 && { "content-length": answer.body.length }),
    "apigw-requestid": randomUUID(),
  });
  response.end(answer.body);
}
