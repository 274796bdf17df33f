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
import type { AccessEntry } from "./access-log.ts";
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
  /** While it is on, every request of a route gets a 429, as if other APIs used up the limit of the account. */
  throttle(isOn: boolean): void;
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
  let isThrottled = false;
  const server = createServer(async (request, response) => {
    const startedMilliseconds = performance.now();
    const received = await receiveRequest(request, maxBodyBytes).catch(() => undefined);
    // The client closed the connection, so there is no one to respond to.
    if (received === undefined) return;
    const requestId = randomUUID();
    const serving = { findApi: () => api, isThrottled: () => isThrottled, now };
    const answered = await answerRequest(serving, requestId, request.headers, received);
    const { answer, functionName } = answered;
    send(response, answer, requestId, api?.cors, request.headers.origin);
    const durationMilliseconds = performance.now() - startedMilliseconds;
    const accessLine = api?.accessLog?.lineOf({
      requestId,
      atMilliseconds: now(),
      routeKey: answered.routeKey,
      status: answer.status,
      latencyMilliseconds: durationMilliseconds,
      integration: answered.integration,
    });
    options.log({
      kind: "request",
      method: request.method ?? "GET",
      path: pathOf(request.url ?? "/"),
      status: answer.status,
      durationMilliseconds,
      ...(functionName !== undefined && { functionName }),
      ...(accessLine !== undefined && { accessLine }),
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
  const throttle = (isOn: boolean) => {
    isThrottled = isOn;
  };
  return { endpoint: listening.endpoint, open: setApi, close: setApi, throttle, stop };
}

interface Answered {
  readonly answer: HttpAnswer;
  readonly functionName?: string;
  readonly routeKey?: string;
  readonly integration?: AccessEntry["integration"];
}

interface Serving {
  readonly findApi: () => HttpApi | undefined;
  readonly isThrottled: () => boolean;
  readonly now: () => number;
}

async function answerRequest(
  { findApi, isThrottled, now }: Serving,
  requestId: string,
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
  if (isThrottled()) return { answer: tooMany, routeKey };
  const event = toHttpEvent(received, {
    routeKey,
    pathParameters: matched.pathParameters,
    requestId,
    nowMilliseconds: now(),
  });
  const answer = await askFunction(running, event, timeoutMilliseconds);
  const called = { functionName: running.definition.label, routeKey };
  // A function that stops with the stack has not failed.
  const wasStopped = answer.status === 500 && findApi() === undefined;
  if (wasStopped) return { answer: notServing, ...called };
  const status = answer.isOfFunction ? answer.status : undefined;
  return { answer, ...called, integration: { status } };
}

const unavailable = messageAnswer(503, "The local stack is starting or stopping.");
const tooMany = messageAnswer(429, "Too Many Requests");
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
  requestId: string,
  cors: Cors | undefined,
  origin: string | undefined,
): void {
  response.writeHead(answer.status, {
    ...answer.headers,
    ...(cors && corsHeaders(cors, origin)),
    ...(answer.status !== 204 && { "content-length": answer.body.length }),
    "apigw-requestid": requestId,
  });
  response.end(answer.body);
}
