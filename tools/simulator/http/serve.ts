import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isIP } from "node:net";

export interface Visit {
  readonly method: string;
  readonly url: URL;
  readonly contentType: string;
  /** The Host header, with its port. */
  readonly host: string;
  /** False if the browser says that a page of another site sent the request. */
  readonly sameSite: boolean;
  readonly body: Buffer;
}

/** `reset` closes the connection without a response. */
export type Answer =
  | { status: number; type?: string; location?: string; body: string; reset?: never }
  | { reset: true };

export interface Route {
  method: "GET" | "POST" | "DELETE";
  path: RegExp;
  /** `parts` are the groups of the path's pattern. */
  handle: (visit: Visit, parts: readonly string[]) => Promise<Answer> | Answer;
}

export function plainText(status: number, body: string): Answer & { reset?: never } {
  return { status, body: `${body}\n` };
}

export function json(status: number, value: unknown): Answer & { reset?: never } {
  return { status, type: "application/json", body: JSON.stringify(value) };
}

export function seeOther(location: string): Answer & { reset?: never } {
  return { status: 303, location, body: "" };
}

/**
 * Accepts only hosts that name this machine beyond doubt. Anyone can point a DNS name at this machine, and their page
 * could then read the responses (DNS rebinding). `publicUrl` is the address that the user configured.
 */
export function onlyAtOwnAddress(routes: readonly Route[], publicUrl?: string): Route[] {
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).hostname;
  return routes.map((route) => ({
    ...route,
    handle: (visit, parts) => {
      const name = hostName(visit.host);
      if (isOwn(name) || name === publicHost) return route.handle(visit, parts);
      return plainText(403, "Open the simulator at its own address, for example 127.0.0.1.");
    },
  }));
}

function hostName(host: string): string {
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : "";
}

/** An IP address cannot point elsewhere, and browsers resolve `localhost` to this machine. */
function isOwn(name: string): boolean {
  return name === "localhost" || isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}

const longestBody = 1024 * 1024;

/** Without `form-action`, because it would also block the redirect to the merchant's page. */
const contentPolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Only on loopback: the simulator returns keys without authentication. */
export async function serve(
  routes: readonly Route[],
  port: number,
  log: (line: string) => void,
): Promise<Server> {
  const server = createServer((request, response) => {
    answerVisit(routes, request, response).catch((error: unknown) => {
      log(`failed: ${request.method} ${request.url}: ${error}`);
      if (!response.headersSent)
        write(response, plainText(500, "The simulator failed. See its log."));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  return server;
}

async function answerVisit(
  routes: readonly Route[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const visit = body && visitOf(request, body);
  const answer = visit === undefined ? unreadable(body) : await route(routes, visit);
  if (answer.reset) request.socket.resetAndDestroy();
  else write(response, answer);
}

function unreadable(body: Buffer | undefined): Answer {
  return body === undefined
    ? plainText(413, "The request is over 1 MiB.")
    : plainText(400, "The request's address is not valid.");
}

async function route(routes: readonly Route[], visit: Visit): Promise<Answer> {
  const method = visit.method === "HEAD" ? "GET" : visit.method;
  const here = routes.flatMap((candidate) => {
    const match = candidate.path.exec(visit.url.pathname);
    return match === null ? [] : [{ candidate, parts: match.slice(1).map(decodePart) }];
  });
  const found = here.find(({ candidate }) => candidate.method === method);
  if (found !== undefined) return await found.candidate.handle(visit, found.parts);
  return here.length > 0
    ? plainText(405, "This path does not support this method.")
    : plainText(404, "This path does not exist.");
}

function visitOf(request: IncomingMessage, body: Buffer): Visit | undefined {
  const address = `http://localhost${request.url ?? "/"}`;
  if (!URL.canParse(address)) return undefined;
  return {
    method: request.method ?? "GET",
    url: new URL(address),
    contentType: request.headers["content-type"] ?? "",
    host: request.headers.host ?? "",
    sameSite: isSameSite(request),
    body,
  };
}

/** A browser sends the origin of a request, an old one only as `Origin`. A script or a test sends neither header. */
function isSameSite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host = "" } = headers;
  return origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
}

/** A body that is too long is read to its end and discarded, so that the client can read the response. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
  }
  return length <= longestBody ? Buffer.concat(chunks) : undefined;
}

function write(response: ServerResponse, answer: Exclude<Answer, { reset: true }>): void {
  response.writeHead(answer.status, {
    "content-type": answer.type ?? "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": contentPolicy,
    ...(answer.location === undefined ? {} : { location: answer.location }),
  });
  response.end(answer.body);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
