import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isIP } from "node:net";

export const foreignHostMessage =
  "The local stack answers only if the header Host is 127.0.0.1, localhost or an IP address. A tunnel or proxy in front of it must set this header.";

/**
 * Whether a client named a host that nobody else can claim. Anyone can let a name of their own point to this machine, and
 * their page could then use what answers here (DNS rebinding). A browser keeps `localhost` on the machine.
 */
export function isOwnHost(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === "localhost" || isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

/** Passes on only requests that name such a host. */
export function onlyAtOwnHost(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    if (isOwnHost(request.headers.host)) return listener(request, response);
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ message: foreignHostMessage }));
  };
}
