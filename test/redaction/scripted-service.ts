import { createServer } from "node:http";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";

export type Reply =
  | { readonly status: number; readonly body: unknown }
  /** The request arrives, and the connection is cut. */
  | "cut";

/**
 * A payment service that answers what a test wants: answers are not signed (§4), so nothing of the wire is left out. The
 * simulator cannot put a text into every field of its answers.
 */
export async function startScriptedService() {
  const script = { reply: async (_path: string): Promise<Reply> => "cut" };
  const server = createServer(async (request, response) => {
    request.resume();
    const reply = await script.reply(String(request.url));
    if (reply === "cut") return void request.socket.destroy();
    const { status, body } = reply;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const { endpoint, stop } = await listenOnLoopback(server);
  return {
    url: endpoint,
    stop,
    /** From now on this is the answer to everything. */
    answer: (status: number, body: unknown) => {
      script.reply = async () => ({ status, body });
    },
    cut: () => {
      script.reply = async () => "cut";
    },
    /** The answer comes when the promise is settled. Returns a promise of the first request. */
    hold: (until: Promise<unknown>, reply: Reply): Promise<void> =>
      new Promise((arrived) => {
        script.reply = async () => {
          arrived();
          await until;
          return reply;
        };
      }),
  };
}
