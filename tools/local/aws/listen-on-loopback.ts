import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { isIP, isIPv4 } from "node:net";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import type { AwsAnswer } from "./aws-error.ts";

/** A server, such as an emulated service of AWS. */
export interface Listening {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Longer than the SDK keeps an idle connection, so that no server closes a connection that is about to be reused. */
const keepAliveMilliseconds = 75_000;

/** Listens only on 127.0.0.1. Port 0 uses any free port. */
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

/** Handles the calls of an AWS service. `gone` is aborted when the caller has disconnected. */
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
  const problem = cause.code === "EADDRINUSE" ? "is taken" : `cannot be used: ${cause.message}`;
  return new PaycastError("local-port-taken", `Port ${port} ${problem}.`, { cause });
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    // Clients keep connections open for their next call. Without this, stopping would wait for them.
    server.closeAllConnections();
  });
}

const foreignHostMessage =
  "The local stack accepts only requests whose Host header is 127.0.0.1, localhost or an IP address. A tunnel or proxy in front of it must set this header.";
const foreignOriginMessage =
  "The local stack rejects requests from pages of other sites. The Origin header must name this machine, such as http://localhost:5173.";

/** Accepts only requests from pages of this machine, or from no page at all. */
export function refuseForeign(listener: RequestListener): RequestListener {
  return (request, response) => {
    const message = whyForeign(request.headers);
    if (message === undefined) return listener(request, response);
    response.writeHead(403, { "content-type": "application/json" });
    response.end(JSON.stringify({ message }));
  };
}

/**
 * Why a request is rejected, or undefined. Any web page can send requests to this machine from the user's browser. The
 * browser then sends the page's origin; other programs send none.
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
 * Whether the Host header names this machine beyond doubt. Anyone can point a DNS name at this machine, and their page
 * could then use its servers (DNS rebinding). A browser resolves `localhost` to this machine itself.
 */
function isOwnHost(host: string | undefined): boolean {
  const hostname = hostnameIn(`http://${host}`);
  return hostname === "localhost" || isIP(hostname) !== 0;
}

/** Other IP addresses are other machines. */
function isOwnOrigin(origin: string): boolean {
  const hostname = hostnameIn(origin);
  if (hostname === "localhost" || hostname === "::1") return true;
  return isIPv4(hostname) && hostname.startsWith("127.");
}

function hostnameIn(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
}
