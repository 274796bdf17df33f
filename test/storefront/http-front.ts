import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { listenOnLoopback } from "../../tools/local/aws/listen-on-loopback.ts";
import { messageAnswer, toHttpAnswer } from "../../tools/local/stack/http/http-answer.ts";
import { matchRoute } from "../../tools/local/stack/http/http-api.ts";
import { pathOf, receiveRequest, toHttpEvent } from "../../tools/local/stack/http/http-event.ts";
import type { Instance } from "../integration/instance.ts";

/** Which instances answer which route; they take turns, and are started when first asked for. */
export type Routes = Record<string, () => Promise<readonly Instance[]>>;

/** What API Gateway does between a client and the functions, over real HTTP. `routes` may change at any time. */
export async function startHttpFront(routes: Routes) {
  let turn = 0;
  const server = createServer(async (request, response) => {
    const received = await receiveRequest(request, 10 * 1024 * 1024).catch(() => undefined);
    if (received === undefined || received === "too-large") return void response.destroy();
    const table = Object.entries(routes).map(([routeKey, target]) => ({ routeKey, target }));
    const matched = matchRoute(table, received.method, pathOf(received.url));
    const instances = (await matched?.route.target()) ?? [];
    turn += 1;
    const instance = instances[turn % instances.length];
    const event = toHttpEvent(received, {
      routeKey: matched?.route.routeKey ?? "",
      pathParameters: matched?.pathParameters ?? {},
      requestId: randomUUID(),
      nowMilliseconds: Date.now(),
    });
    const outcome = await instance?.invoke(event);
    const answer =
      outcome?.kind === "returned"
        ? toHttpAnswer(JSON.stringify(outcome.value))
        : messageAnswer(instance ? 500 : 404, instance ? "Internal Server Error" : "Not Found");
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  return await listenOnLoopback(server);
}
