import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** What a server does with one request: the socket, and the request's text once it is read whole. */
export type Conduct = (socket: Socket, request: string) => void;

export interface RawServer {
  readonly url: URL;
  /** Requests that were read whole, in order. */
  readonly requests: string[];
  /** Connections that were accepted. */
  readonly connections: number;
}

/**
 * A loopback server on bare TCP, so that it can misbehave in ways an HTTP library would not. It reads each request
 * to its end by content-length and then does what the test says; `onConnection` may act before anything is read.
 */
export async function startRawServer(
  conduct: Conduct,
  onConnection: (socket: Socket) => void = () => {},
): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    readRequests(socket, (request) => {
      requests.push(request);
      conduct(socket, request);
    });
    onConnection(socket);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: new URL(`http://127.0.0.1:${port}/payment/api/v1/payment-order`),
    requests,
    get connections() {
      return connections;
    },
  };
}

function readRequests(socket: Socket, onRequest: (request: string) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    const headEnd = bytes.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(bytes.toString("latin1"))?.[1] ?? 0);
    if (headEnd < 0 || bytes.length < headEnd + 4 + length) return;
    const request = bytes.subarray(0, headEnd + 4 + length).toString("utf8");
    bytes = bytes.subarray(headEnd + 4 + length);
    onRequest(request);
  });
}

export function bodyOf(request: string): string {
  return request.slice(request.indexOf("\r\n\r\n") + 4);
}

/** Answers as a proper HTTP server would. */
export function answering(
  body: string,
  status = "200 OK",
  headers: readonly string[] = ["content-type: application/json"],
): Conduct {
  const head = [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`];
  return (socket) => void socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** Ends the connection with RST. */
export const resetting: Conduct = (socket) => void socket.resetAndDestroy();

export const silent: Conduct = () => {};

/** An address on loopback where nobody listens. The port belongs to a connection, so no server gets it meanwhile. */
export async function closedPort(): Promise<URL> {
  const server = await startRawServer(silent);
  const socket = connect({ host: "127.0.0.1", port: Number(server.url.port) });
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return new URL(`http://127.0.0.1:${socket.localPort}/`);
}
