import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { isIP, isIPv4 } from "node:net";
import { PaycastError } from "../../../shared/paycast-error.ts";
import type { AwsAnswer } from "./aws-error.ts";

/** A server, such as an emulated service of AWS. */
export interface Listening {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Longer than the SDK keeps an idle connection, so that no server closes one that is just used again. */
const keepAliveMilliseconds = 75_000;

/** Listens on 127.0.0.1 only. Port 0 takes any free port. */
export async function listenOnLoopback(server: Server, port = 0): Promise<Listening> {
  server.keepAliveTimeout = keepAliveMilliseconds;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(cannotListen(port, cause)));
    server.listen({ host: "127.0.0.1", port }, resolve);
  });
  const address = server.address();
  const actualPort = address !== null && typeof address === "object" ? address.port : port;
  return { endpoint: `http://127.0.0.1:${actualPort}`, stop: () => close(server) };
}

/** Answers the calls of an AWS service. `gone` says that the caller does not wait any more. */
export async function answerCalls(
  answer: (request: IncomingMessage, gone: AbortSignal) => Promise<AwsAnswer>,
  port?: number,
): Promise<Listening> {
  const serve = refuseForeign((request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    answer(request, gone.signal)
      .then(({ status, headers, text }) => response.writeHead(status, headers).end(text))
      // The caller went away while it sent.
      .catch(() => response.destroy());
  });
  return await listenOnLoopback(createServer(serve), port);
}

function cannotListen(port: number, cause: NodeJS.ErrnoException): PaycastError {
  const reason = cause.code === "EADDRINUSE" ? "another program has it" : cause.message;
  return new PaycastError("local-port-taken", `Port ${port} cannot be used: ${reason}.`, { cause });
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    // Clients keep connections open for their next call. Without this, stopping would wait for them.
    server.closeAllConnections();
  });
}

const foreignHostMessage =
  "The local stack answers only if the header Host is 127.0.0.1, localhost or an IP address. A tunnel or proxy in front of it must set this header.";
const foreignOriginMessage =
  "The local stack answers no page of another site. The header Origin must be of this machine, such as http://localhost:5173.";

/** Passes on only requests that come from this machine or from no page at all. */
export function refuseForeign(listener: RequestListener): RequestListener {
  return (request, response) => {
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
