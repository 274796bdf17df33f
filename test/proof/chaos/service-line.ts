import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { type Answered, ask } from "../ask.ts";

/** One request of the stack to the payment service, and its response. */
export interface Asked extends Answered {
  /** The envelope (§2.1). Its body is encrypted; the response is not. */
  readonly envelope: string;
}

/** The connection from the stack to the payment service. It changes nothing, and records the responses. */
export async function startServiceLine(service: () => string, now: () => number) {
  const asked: Asked[] = [];
  const carry = async (incoming: IncomingMessage, response: ServerResponse) => {
    const envelope = await text(incoming);
    let leftMilliseconds: number | undefined;
    response.on("close", () => {
      leftMilliseconds = now();
    });
    const answered = await ask("POST", `${service()}${incoming.url}`, envelope, now);
    // A function that stopped waiting is not sending any more, and never learns the response.
    const left = leftMilliseconds !== undefined && {
      endedMilliseconds: leftMilliseconds,
      status: undefined,
      answer: "",
    };
    asked.push({ ...answered, ...left, envelope });
    if (answered.status === undefined) incoming.socket.destroy();
    else response.writeHead(answered.status, { "content-type": "application/json" });
    response.end(answered.answer);
  };
  const server = createServer((incoming, response) => {
    carry(incoming, response).catch(() => incoming.socket.destroy());
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  return { url: endpoint, asked, stop };
}
