import { buildApp } from "fauxqs";
import * as z from "zod";
import { type Emulator, localRegion } from "./emulator.ts";

const withQueueUrl = z.looseObject({ QueueUrl: z.string() });
const withQueueUrls = z.looseObject({ QueueUrls: z.array(z.string()) });

/**
 * Starts the SQS emulator in this process. It names its queues by a host that does not resolve, and knows them by
 * that exact address only; here, as at AWS, the address that a client gets is one it can call, and the queue is
 * known by its path whatever host stands before it.
 */
export async function startSqs(): Promise<Emulator> {
  const app = buildApp({ logger: false, defaultRegion: localRegion });
  const knownUrls = new Map<string, string>();
  let endpoint = "";
  const publicUrl = (queueUrl: string) => {
    const { pathname } = new URL(queueUrl);
    knownUrls.set(pathname, queueUrl);
    return `${endpoint}${pathname}`;
  };
  app.addHook("preHandler", async (request) => {
    const body = withQueueUrl.safeParse(request.body);
    if (!body.success) return;
    const known = knownUrls.get(pathOf(body.data.QueueUrl));
    if (known !== undefined) request.body = { ...body.data, QueueUrl: known };
  });
  app.addHook("preSerialization", async (_request, _reply, answer) => rewrite(answer, publicUrl));
  endpoint = await app.listen({ host: "127.0.0.1", port: 0 });
  return { endpoint, stop: async () => await app.close() };
}

function rewrite(answer: unknown, publicUrl: (queueUrl: string) => string): unknown {
  const one = withQueueUrl.safeParse(answer);
  if (one.success) return { ...one.data, QueueUrl: publicUrl(one.data.QueueUrl) };
  const many = withQueueUrls.safeParse(answer);
  if (many.success) return { ...many.data, QueueUrls: many.data.QueueUrls.map(publicUrl) };
  return answer;
}

function pathOf(queueUrl: string): string {
  return URL.canParse(queueUrl) ? new URL(queueUrl).pathname : queueUrl;
}
