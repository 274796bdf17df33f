import { createServer, type IncomingMessage, type Server } from "node:http";
import { PaycastError } from "../../shared/paycast-error.ts";
import type { AwsAnswer } from "./aws-error.ts";
import { refuseForeign } from "./own-host.ts";

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
