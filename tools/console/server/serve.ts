import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { aheadHeader } from "../ahead-header.ts";
import type { Access } from "./access.ts";
import type { Live } from "./live.ts";
import type { SharedReads } from "./look-cache.ts";
import type { PageFiles } from "./page-files.ts";
import { type ApiRoute, answer, errorAnswer, findRoute } from "./route.ts";

export interface Site {
  readonly access: Access;
  readonly routes: readonly ApiRoute[];
  readonly page: PageFiles;
  readonly live: Live;
  readonly reads: SharedReads;
  /** A deployed stack can be changed only with the command. */
  readonly isReadOnly: boolean;
  /** How far the stack's clock is ahead of this machine's. */
  readonly aheadMilliseconds: () => number;
}

const longestBody = 64 * 1024;
/** The longest name in a path. A DynamoDB key has at most 2,048 bytes, and no id is that long. */
const longestText = 256;

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function createSite(site: Site): Server {
  return createServer((request, response) => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    response.setHeader(aheadHeader, site.aheadMilliseconds());
    const url = urlOf(request);
    if (url.pathname === "/api/live" && site.access.refusal(request, true) === undefined) {
      site.live.add(response);
      return;
    }
    answerTo(site, request, response, url)
      .catch((error: unknown) => json(errorAnswer(error)))
      .then(({ status, type, text, headers }) => {
        response.writeHead(status, { "content-type": type, ...headers }).end(text);
      });
  });
}

/** Only the path and query of the URL are used, so the host does not matter. */
function urlOf({ url = "/" }: IncomingMessage): URL {
  const base = "http://console";
  const path = url.startsWith("//") ? `/.${url}` : url;
  return URL.canParse(path, base) ? new URL(path, base) : new URL(base);
}

async function answerTo(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<Answer> {
  const isApi = url.pathname.startsWith("/api/");
  const refusal = site.access.refusal(request, isApi);
  const mayEnter = refusal === undefined || refusal.body.error.code === "no-token";
  if (mayEnter && !isApi && site.access.isToken(url.searchParams.get("token") ?? "")) {
    return enter(site.access, url);
  }
  if (refusal !== undefined) {
    // A person gets a sentence, the page gets JSON.
    return isApi ? json(refusal) : plain(refusal.status, refusal.body.error.message);
  }
  return isApi
    ? await answerApi(site, request, response, url)
    : pageAnswer(site.page, url.pathname);
}

/** Removes the token from the address bar, where it could be copied with a link. */
function enter({ cookie }: Access, url: URL): Answer {
  url.searchParams.delete("token");
  // Two leading slashes would redirect to another site.
  const path = url.pathname.replace(/^\/+/, "/");
  const headers = { "set-cookie": cookie, location: `${path}${url.search}` };
  return { ...plain(303, "Redirecting."), headers };
}

async function answerApi(
  { routes, isReadOnly, reads }: Site,
  request: IncomingMessage,
  response: ServerResponse,
  { pathname, search, searchParams: query }: URL,
): Promise<Answer> {
  const found = findRoute(routes, request.method ?? "GET", pathname);
  if (found === undefined) return json(nothingHere);
  if (found.route.changes && isReadOnly) return json(readOnly);
  const texts = [...Object.values(found.parts), ...query.values()];
  if (texts.some(({ length }) => length > longestText)) return json(tooLong);
  const text = await readBody(request);
  if (text === undefined) return json(tooLarge);
  const body = parseJson(text === "" ? "{}" : text);
  if (body === undefined) return json(notJson);
  if (!isWellFormed(body)) return json(notText);
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const { route, parts } = found;
  const handle = (signal: AbortSignal) => route.handle({ parts, query, body, signal });
  const result = await (route.method === "GET"
    ? reads.read(`${pathname}${search}`, gone.signal, handle)
    : handle(gone.signal).finally(reads.forget));
  return json({ status: 200, body: result ?? {} });
}

/** A lone surrogate cannot be stored or be part of a URL. */
function isWellFormed(body: unknown): boolean {
  const values = [body];
  for (const value of values) {
    if (typeof value === "string" && !value.isWellFormed()) return false;
    if (typeof value === "object" && value !== null) values.push(...Object.values(value));
  }
  return true;
}

const nothingHere = answer(404, "not-found", "The console has no such path.");
const tooLarge = answer(413, "wrong-usage", "The request is too large.");
const tooLong = answer(400, "wrong-usage", "A part of the address is too long.");
const notJson = answer(400, "wrong-usage", "The request is not JSON.");
const notText = answer(400, "wrong-usage", "A string in the request contains a lone surrogate.");
const readOnly = answer(
  403,
  "read-only",
  "On a deployed stack the console is read-only. Use the command that it shows.",
);

/** Undefined if it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length <= longestBody) chunks.push(chunk);
  }
  return length > longestBody ? undefined : Buffer.concat(chunks).toString("utf8");
}

/** Every other path is a view, so a reload works anywhere. */
function pageAnswer(page: PageFiles, pathname: string): Answer {
  switch (pathname) {
    case "/page.js":
      return { status: 200, type: "text/javascript; charset=utf-8", text: page.script };
    case "/page.css":
      return { status: 200, type: "text/css; charset=utf-8", text: page.styles };
    case "/favicon.ico":
      return plain(404, "This page does not exist.");
    default:
      return { status: 200, type: "text/html; charset=utf-8", text: page.document };
  }
}

function json({ status, body }: { readonly status: number; readonly body: unknown }): Answer {
  return { status, type: "application/json", text: JSON.stringify(body) };
}

function plain(status: number, message: string): Answer {
  return { status, type: "text/plain; charset=utf-8", text: `${message}\n` };
}
