import { createServer } from "node:http";
import { listenOnLoopback } from "../../local/aws/listen-on-loopback.ts";

/** Does the work while a payment service has only one answer. The work gets the variable of a function that names it. */
export async function whileToldOnly<T>(
  answer: object,
  work: (environment: { readonly GATEWAY: string }) => Promise<T>,
): Promise<T> {
  const server = createServer((_, response) => void response.end(JSON.stringify(answer)));
  const { endpoint, stop } = await listenOnLoopback(server);
  const paths = { create: "/create", query: "/query" };
  const GATEWAY = JSON.stringify({ baseUrl: endpoint, pathPrefix: "", paths });
  return await work({ GATEWAY }).finally(stop);
}
