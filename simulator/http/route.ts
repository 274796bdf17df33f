import { isIP } from "node:net";

export interface Visit {
  readonly method: string;
  readonly url: URL;
  readonly contentType: string;
  /** The host that the client named, with its port. */
  readonly host: string;
  /** False if the browser says that a page of another site sent this. */
  readonly sameSite: boolean;
  readonly body: Buffer;
}

/** `reset` closes the connection without an answer. */
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
 * Answers only at addresses that nobody else can claim. Anyone can let a name of their own point to this machine, and
 * their page could then read the answers here (DNS rebinding). `publicUrl` is the address that the user gave.
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

/** An IP address cannot be made to point elsewhere, and browsers keep `localhost` on the machine. */
function isOwn(name: string): boolean {
  return name === "localhost" || isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}
