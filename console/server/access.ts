import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Who may use the console: a browser on this machine that was given the token of this start. */
export interface Access {
  /** Put into the address that is printed. */
  readonly token: string;
  /** Undefined if the request may pass, otherwise why it may not. */
  readonly refusal: (request: IncomingMessage) => Refusal | undefined;
  readonly isToken: (text: string) => boolean;
  /** Keeps the token in the browser, out of the address bar. */
  readonly cookie: string;
}

interface Refusal {
  readonly status: 401 | 403;
  readonly code: "wrong-host" | "wrong-origin" | "no-token";
  readonly message: string;
}

/** `port` gives the port once the server listens. Browsers do not tell cookies of two ports apart, so its name does. */
export function createAccess(port: () => number): Access {
  const token = randomBytes(32).toString("base64url");
  const isToken = (text: string) => timingSafeEqual(digest(text), digest(token));
  const cookieName = () => `paycast-console-${port()}`;
  return {
    token,
    isToken,
    get cookie() {
      return `${cookieName()}=${token}; Path=/; HttpOnly; SameSite=Strict`;
    },
    refusal: ({ headers, method = "GET" }) => {
      const hosts = ownHosts(port());
      if (!hosts.includes(headers.host ?? "")) return wrongHost;
      if (!isOwnOrigin(headers, method, hosts)) return wrongOrigin;
      return isToken(readCookie(headers.cookie ?? "", cookieName())) ? undefined : noToken;
    },
  };
}

/** Anyone can let a name of their own point to this machine, so only names that nobody else can claim are accepted. */
function ownHosts(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

/** A browser says where a request comes from. What changes something must say it, and it must be this page. */
function isOwnOrigin(
  { origin, "sec-fetch-site": site }: IncomingMessage["headers"],
  method: string,
  hosts: readonly string[],
): boolean {
  const isRead = method === "GET" || method === "HEAD";
  if (origin !== undefined) return hosts.some((host) => origin === `http://${host}`);
  if (!isRead) return false;
  // A link in another page of this machine, such as the simulator's, is "same-site".
  return site === undefined || site === "none" || site === "same-origin" || site === "same-site";
}

function readCookie(text: string, name: string): string {
  const pairs = text.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
}

/** Both sides get the same length, which the comparison needs. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

const wrongHost: Refusal = {
  status: 403,
  code: "wrong-host",
  message: "Open the console at its own address, 127.0.0.1 or localhost.",
};
const wrongOrigin: Refusal = {
  status: 403,
  code: "wrong-origin",
  message: "Only the console's own page may do this.",
};
const noToken: Refusal = {
  status: 401,
  code: "no-token",
  message:
    "Open the address that the terminal printed when the console started. It holds a token that is new at each start.",
};
