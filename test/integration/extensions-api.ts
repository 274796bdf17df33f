import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../../local/aws/listen-on-loopback.ts";

/** What an extension asked for, in the order in which the requests came. */
interface ExtensionCall {
  readonly path: string;
  readonly name: unknown;
  readonly identifier: unknown;
  readonly body: string;
}

type Registering = "accept" | "refuse" | "hang";

/** Lambda's Extensions API: it registers, and answers a request for the next invocation when the test gives one. */
export async function startExtensionsApi(registering: Registering = "accept") {
  const calls: ExtensionCall[] = [];
  const waiting: ServerResponse[] = [];
  let onHangUp = () => {};
  const server = createServer((request, response) => void serve(request, response));

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { "lambda-extension-name": name, "lambda-extension-identifier": identifier } =
      request.headers;
    calls.push({ path: `${request.method} ${request.url}`, name, identifier, body });
    if (request.url?.endsWith("/event/next")) return void waiting.push(response);
    if (registering === "hang") return void response.on("close", () => onHangUp());
    const status = registering === "accept" ? 200 : 403;
    response.writeHead(status, { "Lambda-Extension-Identifier": "extension-1" }).end("{}");
  }

  const { endpoint, stop } = await listenOnLoopback(server);
  const asked = () => calls.filter(({ path }) => path.endsWith("/event/next")).length;
  return {
    /** The value of AWS_LAMBDA_RUNTIME_API. */
    runtimeApi: new URL(endpoint).host,
    calls,
    asked,
    /** Called when the caller does not wait for its registration any longer. */
    whenHungUp: (call: () => void) => {
      onHangUp = call;
    },
    /** Answers the request that waits for the next invocation. */
    tellInvoke: (requestId: string) => {
      const event = { eventType: "INVOKE", requestId, deadlineMs: Date.now() + 10_000 };
      waiting.shift()!.end(JSON.stringify(event));
    },
    /** Ends the connection of the request that waits. */
    breakOff: () => void waiting.shift()!.destroy(),
    stop,
  };
}
