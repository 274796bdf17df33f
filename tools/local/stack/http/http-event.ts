import type { IncomingMessage } from "node:http";
import { localAccountId } from "../../aws/local-account.ts";
import { localApiId } from "../template/stack-context.ts";

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** Name, value, name, value, … in the order of the request. */
  readonly rawHeaders: readonly string[];
  readonly protocol: string;
  readonly sourceIp: string;
  readonly body: Buffer;
}

export interface EventContext {
  readonly routeKey: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly requestId: string;
  readonly nowMilliseconds: number;
}

export async function receiveRequest(
  request: IncomingMessage,
  maxBodyBytes: number,
): Promise<ReceivedRequest | "too-large"> {
  const chunks: Buffer[] = [];
  let bodyBytes = 0;
  for await (const chunk of request) {
    bodyBytes += chunk.length;
    if (bodyBytes <= maxBodyBytes) chunks.push(chunk);
  }
  if (bodyBytes > maxBodyBytes) return "too-large";
  return {
    method: request.method ?? "GET",
    url: request.url ?? "/",
    rawHeaders: request.rawHeaders,
    protocol: `HTTP/${request.httpVersion}`,
    sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
    body: Buffer.concat(chunks),
  };
}

/**
 * The path as an HTTP API sees it. It decodes the path before it looks for a route, so an escaped slash separates
 * segments and an escaped question mark ends the path.
 */
export function pathOf(url: string): string {
  const encoded = url.split("?", 1)[0] ?? "/";
  try {
    return decodeURIComponent(encoded).split("?", 1)[0] ?? "/";
  } catch {
    return encoded;
  }
}

/** The event that API Gateway creates from a request, payload format 2.0. */
export function toHttpEvent(request: ReceivedRequest, context: EventContext): object {
  const headers = readHeaders(request.rawHeaders);
  const rawPath = pathOf(request.url);
  const rawQueryString = request.url.split("?").slice(1).join("?");
  const queryStringParameters = joinDuplicates([...new URLSearchParams(rawQueryString)]);
  const { pathParameters } = context;
  return {
    version: "2.0",
    routeKey: context.routeKey,
    rawPath,
    rawQueryString,
    headers,
    ...(isFilled(queryStringParameters) && { queryStringParameters }),
    requestContext: requestContext(request, rawPath, headers, context),
    ...(isFilled(pathParameters) && { pathParameters }),
    ...encodeBody(request.body, headers["content-type"]),
  };
}

function requestContext(
  request: ReceivedRequest,
  path: string,
  headers: Readonly<Record<string, string>>,
  { routeKey, requestId, nowMilliseconds }: EventContext,
): object {
  const domainName = headers["host"] ?? "localhost";
  return {
    accountId: localAccountId,
    apiId: localApiId,
    domainName,
    domainPrefix: domainName.split(".", 1)[0],
    http: {
      method: request.method,
      path,
      protocol: request.protocol,
      sourceIp: request.sourceIp,
      userAgent: headers["user-agent"] ?? "",
    },
    requestId,
    routeKey,
    stage: "$default",
    time: commonLogTime(nowMilliseconds),
    timeEpoch: nowMilliseconds,
  };
}

/** Names in lower case. Values of a repeated header are joined by commas. */
function readHeaders(rawHeaders: readonly string[]): Record<string, string> {
  return joinDuplicates(
    rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ""] as const] : [],
    ),
  );
}

function joinDuplicates(pairs: readonly (readonly [string, string])[]): Record<string, string> {
  const joined = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = joined.get(name);
    joined.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(joined);
}

/** Bodies of these types are text in the event. All others, and those without a type, are base64. */
const textTypes = new Set(["application/json", "application/xml", "application/javascript"]);

function encodeBody(body: Buffer, contentType = "") {
  if (body.length === 0) return { isBase64Encoded: false };
  const type = (contentType.split(";", 1)[0] ?? "").trim().toLowerCase();
  const isText = type.startsWith("text/") || textTypes.has(type);
  return { body: body.toString(isText ? "utf8" : "base64"), isBase64Encoded: !isText };
}

function isFilled(values: object): boolean {
  return Object.keys(values).length > 0;
}

/** Like 12/Mar/2020:19:03:58 +0000. */
function commonLogTime(nowMilliseconds: number): string {
  const [, day, month, year, time] = new Date(nowMilliseconds).toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}
