import * as http from "node:http";
import * as https from "node:https";
import { GatewayError } from "./gateway-error.ts";

export interface HttpReply {
  readonly status: number;
  readonly text: string;
  /** The `Retry-After` header, unchanged. */
  readonly retryAfter?: string | undefined;
}

/** Posts JSON and returns the reply with any status. Throws a `GatewayError` that says whether anything was sent. */
export type PostJson = (url: URL, json: string, timeoutMilliseconds: number) => Promise<HttpReply>;

/** Lambda freezes between requests. A connection that was idle for longer may have closed unnoticed. */
const longestIdleMilliseconds = 3_000;
const mostReplyBytes = 1024 * 1024;

/** Reuses connections that were not idle for too long. */
export function createPoster(now: () => number = Date.now): PostJson {
  let agents = freshAgents();
  let lastUsedAt = now();
  return async (url, json, timeoutMilliseconds) => {
    if (now() - lastUsedAt > longestIdleMilliseconds) {
      closeIdle(agents);
      agents = freshAgents();
    }
    try {
      return await post(url, json, timeoutMilliseconds, agents);
    } finally {
      lastUsedAt = now();
    }
  };
}

interface Agents {
  readonly https: https.Agent;
  readonly http: http.Agent;
}

function freshAgents(): Agents {
  return { https: new https.Agent({ keepAlive: true }), http: new http.Agent({ keepAlive: true }) };
}

/** Connections that other calls use stay open. */
function closeIdle(agents: Agents): void {
  for (const { freeSockets } of [agents.https, agents.http]) {
    for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
  }
}

function post(
  url: URL,
  json: string,
  timeoutMilliseconds: number,
  agents: Agents,
): Promise<HttpReply> {
  const isTls = url.protocol === "https:";
  const options = {
    method: "POST",
    agent: isTls ? agents.https : agents.http,
    signal: AbortSignal.timeout(timeoutMilliseconds),
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "content-length": Buffer.byteLength(json),
    },
  };
  return new Promise((resolve, reject) => {
    let connected = false;
    const fail = (cause: unknown) =>
      reject(
        cause instanceof GatewayError
          ? cause
          : new GatewayError(connected ? lossOf(cause, options.signal) : "unreachable", { cause }),
      );
    const request = isTls ? https.request(url, options) : http.request(url, options);
    request.on("socket", (socket) => {
      // No byte of the request is sent before the connection is established, including TLS.
      if (!socket.connecting) connected = true;
      else socket.once(isTls ? "secureConnect" : "connect", () => (connected = true));
    });
    request.on("error", fail);
    request.on("response", (response) => readReply(response).then(resolve, fail));
    request.end(json);
  });
}

/** Why there is no response: our time limit was reached, what came is not HTTP, or the connection broke. */
function lossOf(cause: unknown, { aborted }: AbortSignal) {
  if (aborted) return "timed-out";
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code.startsWith("HPE_") ? "unreadable" : "disconnected";
}

async function readReply(response: http.IncomingMessage): Promise<HttpReply> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > mostReplyBytes) throw new GatewayError("unreadable");
    chunks.push(part);
  }
  return {
    status: response.statusCode ?? 0,
    text: Buffer.concat(chunks).toString("utf8"),
    retryAfter: response.headers["retry-after"],
  };
}
