import * as z from "zod/mini";
import { PaycastError } from "../../../shared/errors/paycast-error.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { type OldestTimes, queueNameOf } from "../ports/queues.ts";

const callMilliseconds = 10_000;

/** What only the local emulator reports about a queue (tools/local/aws/sqs). Another emulator may not. */
async function askEmulator(url: string, what: "oldest" | "messages"): Promise<unknown> {
  const address = new URL(`/queues/${queueNameOf(url)}/${what}`, url);
  const answer = await fetch(address, { signal: AbortSignal.timeout(callMilliseconds) });
  return parseJson(await answer.text());
}

const oldestSchema = z.object({ sentAtMilliseconds: z.optional(z.number()) });

export async function readOldestTimes(urls: readonly string[]): Promise<OldestTimes> {
  const found = await Promise.all(urls.map(async (url) => [url, await oldestIn(url)] as const));
  return new Map(found.flatMap(([url, time]) => (time === undefined ? [] : [[url, time]])));
}

async function oldestIn(url: string): Promise<number | undefined> {
  const read = oldestSchema.safeParse(await askEmulator(url, "oldest").catch(() => undefined));
  return read.success ? read.data.sentAtMilliseconds : undefined;
}

const messagesSchema = z.array(z.object({ body: z.string() }));

/** The emulator shows the messages without a receive. */
export async function readQueuedBodies(url: string): Promise<readonly string[]> {
  const read = messagesSchema.safeParse(await askEmulator(url, "messages"));
  if (read.success) return read.data.map(({ body }) => body);
  const message = "The SQS emulator does not show the messages of this queue.";
  throw new PaycastError("local-queue-hidden", message);
}
