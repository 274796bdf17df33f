import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { answer, type ErrorAnswer } from "./route.ts";

export type Access = ReturnType<typeof createAccess>;

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** How long the browser keeps a stored token. */
const keptSeconds = 30 * 86_400;

/**
 * Who may use the console: a browser on this machine that has the token. `port` returns the port once the server
 * listens. Browsers share cookies between ports, so the cookie's name contains the port. `kept` is the local stack's
 * stored token; without it, the token is new and only this process knows it.
 */
export function createAccess(port: () => number, kept?: string) {
  const token = kept ?? newToken();
  const isToken = (text: string) => timingSafeEqual(digest(text), digest(token));
  const noToken = kept === undefined ? noNewToken : noKeptToken;
  const age = kept === undefined ? "" : `; Max-Age=${keptSeconds}`;
  const cookieName = () => `paycast-console-${port()}`;
  return {
    /** Part of the URL that the terminal prints. */
    token,
    isToken,
    /** Stores the token in a cookie, so that it leaves the address bar. */
    get cookie() {
      return `${cookieName()}=${token}; Path=/; HttpOnly; SameSite=Strict${age}`;
    },
    /** Undefined if the request is allowed, otherwise why it is not. */
    refusal: (request: IncomingMessage, isApi: boolean): ErrorAnswer | undefined => {
      const { headers } = request;
      const hosts = ownHosts(port());
      if (!hosts.includes(headers.host ?? "")) return wrongHost;
      if (!isOwnOrigin(request, isApi, hosts)) return wrongOrigin;
      return readCookies(headers.cookie ?? "", cookieName()).some(isToken) ? undefined : noToken;
    },
  };
}

/** Anyone can point a DNS name at this machine, so only loopback names are accepted. */
function ownHosts(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** A browser sends the origin of a request. For a change it is required, and must be this page. */
function isOwnOrigin(
  { method, headers: { origin, "sec-fetch-site": site } }: IncomingMessage,
  isApi: boolean,
  hosts: readonly string[],
): boolean {
  if (origin !== undefined) return hosts.some((host) => origin === `http://${host}`);
  if (method !== "GET" && method !== "HEAD") return false;
  // A page on another local port, such as the simulator's, may link to the console but not call its API.
  if (site === "same-site") return !isApi;
  return site === undefined || site === "none" || site === "same-origin";
}

/** A page on another local port can set a cookie with this name, so there may be several. */
function readCookies(text: string, name: string): string[] {
  const pairs = text.split(";").map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`));
  return own.map((pair) => pair.slice(name.length + 1));
}

/** Hashing gives both sides the same length, which the comparison requires. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const wrongHost = answer(403, "wrong-host", "Open the console at 127.0.0.1 or localhost.");
const wrongOrigin = answer(
  403,
  "wrong-origin",
  "Only the console's own page may send this request.",
);
const noNewToken = answer(
  401,
  "no-token",
  "Open the address that npx paycast console printed. It contains a token that is new at each start, so an earlier address is no longer valid.",
);
const noKeptToken = answer(
  401,
  "no-token",
  "This browser does not have the console's token. Open the address that npm start printed. To see it again, run npx paycast console in the same folder.",
);
