import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { messagePage } from "./pages/order-page.ts";
import type { Pay } from "./pay.ts";
import { answerVisitor, type ShopAnswer } from "./routes.ts";

const read = (name: string) => readFileSync(new URL(`pages/${name}`, import.meta.url), "utf8");
const files: Readonly<Record<string, { readonly type: string; readonly body: string }>> = {
  "/style.css": { type: "text/css", body: read("style.css") },
  "/page.js": { type: "text/javascript", body: read("page.js") },
};

/**
 * Nothing but the shop's own files runs or is shown. There is no `form-action`: browsers would apply it to the redirect
 * to the checkout, too.
 */
const safety = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
};

/** The shop's pages, for browsers on this machine. */
export function createShopServer(deps: Pay): Server {
  return createServer((request, response) => {
    answer(request, response, deps).catch((error: unknown) => {
      deps.tell(`${request.method} ${request.url} failed: ${error}`);
      const page = messagePage("Something went wrong", "It is our fault. Please try again.");
      sendAnswer(response, { status: 500, page });
    });
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, deps: Pay) {
  const { method = "GET", headers } = request;
  const own = new URL(deps.address);
  const url = new URL(request.url ?? "/", own);
  if (headers.host === `localhost:${own.port}` && isReading(method)) {
    // The checkout sends people back to 127.0.0.1, and a browser keeps other cookies for localhost.
    return sendAnswer(response, { seeOther: `${own.origin}${url.pathname}` });
  }
  const refusal = refuse(request, own);
  if (refusal !== undefined) return sendAnswer(response, refusal);
  const file = files[url.pathname];
  if (file !== undefined) return sendFile(response, file);
  const { visitor, cookie } = recognize(headers.cookie, own.port);
  const form = new URLSearchParams(isReading(method) ? "" : await text(request));
  const [, orderNo = ""] = /^\/orders\/([\w-]{1,64})(?:\/|$)/.exec(url.pathname) ?? [];
  const path = orderNo === "" ? url.pathname : url.pathname.replace(orderNo, ":orderNo");
  const route = `${isReading(method) ? "GET" : method} ${path}`;
  if (cookie !== undefined) response.setHeader("set-cookie", cookie);
  sendAnswer(response, await answerVisitor({ route, orderNo, visitor, form }, deps));
}

function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

const mostBytes = 2_000;

/** Other sites must not read or change anything here, though the browser that shows them runs on this machine. */
function refuse({ method = "GET", headers }: IncomingMessage, own: URL): ShopAnswer | undefined {
  if (headers.host !== own.host) return refusal(403, `Open the shop at ${own.origin}.`);
  if (isReading(method)) return undefined;
  if (headers.origin !== own.origin) return refusal(403, "Only the shop's own pages may do this.");
  // A browser always says how long a form is.
  const length = Number(headers["content-length"] ?? Number.NaN);
  return length <= mostBytes ? undefined : refusal(413, "This is not a form of the shop.");
}

function refusal(status: number, reason: string): ShopAnswer {
  return { status, page: messagePage("This is not possible", reason) };
}

/** Browsers share the cookies of all ports of one host, so the name holds the port. */
function recognize(cookies = "", port: string) {
  const [, known] = new RegExp(`(?:^|; )visitor-${port}=([0-9a-f]{32})(?:;|$)`).exec(cookies) ?? [];
  if (known !== undefined) return { visitor: known, cookie: undefined };
  const visitor = randomBytes(16).toString("hex");
  return { visitor, cookie: `visitor-${port}=${visitor}; Path=/; HttpOnly; SameSite=Lax` };
}

function sendAnswer(response: ServerResponse, answer: ShopAnswer): void {
  if ("seeOther" in answer) {
    response.writeHead(303, { ...safety, location: answer.seeOther }).end();
  } else {
    const type = { "content-type": "text/html; charset=utf-8" };
    response.writeHead(answer.status, { ...safety, ...type }).end(answer.page);
  }
}

function sendFile(response: ServerResponse, { type, body }: { type: string; body: string }): void {
  response.writeHead(200, { ...safety, "content-type": `${type}; charset=utf-8` }).end(body);
}
