import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

interface ReceivedCallback {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface CallbackReceiver {
  readonly url: string;
  readonly received: ReceivedCallback[];
  /** What to answer from now on; "reset" cuts the connection and "silence" never answers. */
  answer: { status: number; body: string } | "reset" | "silence";
  stop(): Promise<void>;
}

export const acknowledgement = { status: 200, body: '{"code":20000,"msg":""}' };

/** The merchant's callback endpoint (§4.4), which answers what the test wants. */
export async function startReceiver(): Promise<CallbackReceiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { answer } = receiver;
    receiver.received.push({
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
    });
    if (answer === "silence") return;
    if (answer === "reset") request.socket.resetAndDestroy();
    else response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const receiver: CallbackReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    received: [],
    answer: acknowledgement,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}
