import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { answer, type ErrorAnswer } from "./route.ts";

export type Access = ReturnType<typeof createAccess>;

export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The token is kept for the next start: then the browser keeps it, too, for this long. */
const keptSeconds = 30 * 86_400;

/**
 * Who may use the console: a browser on this machine that was given the token. `port` gives the port once the server
 * listens. Browsers do not tell cookies of two ports apart, so its name does.
 * `kept` is the local stack's token; without it, the token is new and known to this process alone.
 */
export function createAccess(port: () => number, kept?: string) {
  const token = kept ?? newToken();
  const isToken = (text: string) => timingSafeEqual(digest(text), digest(token));
  const noToken = kept === undefined ? noNewToken : noKeptToken;
  const age = kept === undefined ? "" : `; Max-Age=${keptSeconds}`;
  const cookieName = () => `paycast-console-${port()}`;
  return {
    /** Put into the address that is printed. */
    token,
    isToken,
    /** Keeps the token in the browser, out of the address bar. */
    get cookie() {
      return `${cookieName()}=${token}; Path=/; HttpOnly; SameSite=Strict${age}`;
    },
    /** Undefined if the request may pass, otherwise why it may not. */
    refusal: (request: IncomingMessage, isApi: boolean): ErrorAnswer | undefined => {
      const { headers } = request;
      const hosts = ownHosts(port());
      if (!hosts.includes(headers.host ?? "")) return wrongHost;
      if (!isOwnOrigin(request, isApi, hosts)) return wrongOrigin;
      return readCookies(headers.cookie ?? "", cookieName()).some(isToken) ? undefined : noToken;
    },
  };
}

/** Anyone can let a name of their own point to this machine, so only names that nobody else can claim are accepted. */
function ownHosts(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** A browser says where a request comes from. What changes something must say it, and it must be this page. */
function isOwnOrigin(
  { method, headers: { origin, "sec-fetch-site": site } }: IncomingMessage,
  isApi: boolean,
  hosts: readonly string[],
): boolean {
  if (origin !== undefined) return hosts.some((host) => origin === `http://${host}`);
  if (method !== "GET" && method !== "HEAD") return false;
  // Another port of this machine, such as the simulator's, may link to a page. It has nothing to ask of the API.
  if (site === "same-site") return !isApi;
  return site === undefined || site === "none" || site === "same-origin";
}

/** A page on another port of this machine can set a cookie of this name, too, so there may be several. */
function readCookies(text: string, name: string): string[] {
  const pairs = text.split(";").map((pair) => pair.trim());
  const own = pairs.filter((pair) => pair.startsWith(`${name}=`));
  return own.map((pair) => pair.slice(name.length + 1));
}

/** Both sides get the same length, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const wrongHost = answer(
  403,
  "wrong-host",
  "Open the console at its own address, 127.0.0.1 or localhost.",
);
const wrongOrigin = answer(403, "wrong-origin", "Only the console's own page may do this.");
const noNewToken = answer(
  401,
  "no-token",
  "Open the address that npx paycast console printed in its terminal. It holds a token, which is new at each start: an address from an earlier start is no longer valid.",
);
const noKeptToken = answer(
  401,
  "no-token",
  "Open the address that npm start printed in its terminal. To see it again: npx paycast console, in the same folder. It holds a token, and this browser does not have it.",
);
