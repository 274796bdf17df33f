import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from "node:http";
import { isIP, isIPv4 } from "node:net";

const foreignHostMessage =
  "The local stack answers only if the header Host is 127.0.0.1, localhost or an IP address. A tunnel or proxy in front of it must set this header.";
const foreignOriginMessage =
  "The local stack answers no page of another site. The header Origin must be of this machine, such as http://localhost:5173.";

/** Passes on only requests that come from this machine or from no page at all. */
export function refuseForeign(listener: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const message = whyForeign(request.headers);
    if (message === undefined) return listener(request, response);
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ message }));
  };
}

/**
 * Why a request is refused, or undefined. Any web page can send requests to this machine from the browser of its user. The
 * browser then names the page's origin; other programs name none.
 */
export function whyForeign(
  { host, origin }: IncomingHttpHeaders,
  isAllowed: (origin: string) => boolean = () => false,
): string | undefined {
  if (!isOwnHost(host)) return foreignHostMessage;
  if (origin === undefined || isOwnOrigin(origin) || isAllowed(origin)) return undefined;
  return foreignOriginMessage;
}

/**
 * Whether a client named a host that nobody else can claim. Anyone can let a name of their own point to this machine, and
 * their page could then use what answers here (DNS rebinding). A browser keeps `localhost` on the machine.
 */
function isOwnHost(host: string | undefined): boolean {
  const hostname = hostnameIn(`http://${host}`);
  return hostname === "localhost" || isIP(hostname) !== 0;
}

/** Other IP addresses are other machines here. */
function isOwnOrigin(origin: string): boolean {
  const hostname = hostnameIn(origin);
  if (hostname === "localhost" || hostname === "::1") return true;
  return isIPv4(hostname) && hostname.startsWith("127.");
}

function hostnameIn(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
}
