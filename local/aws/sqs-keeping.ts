import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { buildApp } from "fauxqs";
import * as z from "zod";

export type SqsApp = ReturnType<typeof buildApp>;

/** A message as the emulator shows it on its inspection page. */
const messageSchema = z.object({
  body: z.string(),
  messageAttributes: z.record(z.string(), z.unknown()),
  messageGroupId: z.string().optional(),
  messageDeduplicationId: z.string().optional(),
  sequenceNumber: z.string().optional(),
  sentTimestamp: z.number(),
});
type KeptMessage = z.infer<typeof messageSchema>;
type KeptMessages = Map<string, KeptMessage[]>;

const queuesSchema = z.array(z.object({ name: z.string() }));
const queueSchema = z.object({
  messages: z.object({
    ready: z.array(messageSchema),
    delayed: z.array(messageSchema),
    inflight: z.array(z.object({ message: messageSchema })),
  }),
});

/**
 * Saves the messages of all queues, also those in flight, because they are not deleted yet. And what an earlier start has
 * kept for queues that were not created this time: a start may fail or be stopped before it makes them.
 */
export async function saveMessages(
  app: SqsApp,
  dataFile: string,
  waiting: KeptMessages,
): Promise<void> {
  const queues = queuesSchema.parse((await app.inject("/_fauxqs/queues")).json());
  const kept: Record<string, KeptMessage[]> = Object.fromEntries(waiting);
  for (const { name } of queues) {
    const page = await app.inject(`/_fauxqs/queues/${encodeURIComponent(name)}`);
    const { ready, delayed, inflight } = queueSchema.parse(page.json()).messages;
    const messages = [...inflight.map(({ message }) => message), ...ready, ...delayed];
    kept[name] = [...messages.sort(byArrival), ...(waiting.get(name) ?? [])];
  }
  mkdirSync(dirname(dataFile), { recursive: true });
  // Under another name first, so that the file is never half written.
  writeFileSync(`${dataFile}.new`, JSON.stringify(kept));
  renameSync(`${dataFile}.new`, dataFile);
}

export function readKeptMessages(dataFile: string): KeptMessages {
  if (!existsSync(dataFile)) return new Map();
  const content = JSON.parse(readFileSync(dataFile, "utf8"));
  return new Map(Object.entries(z.record(z.string(), z.array(messageSchema)).parse(content)));
}

/** Sends the saved messages to a queue that was just created, once. */
export async function sendKeptMessages(
  app: SqsApp,
  queueUrl: string,
  kept: KeptMessages,
): Promise<void> {
  const queueName = queueUrl.split("/").at(-1) ?? "";
  const messages = kept.get(queueName) ?? [];
  // Each is taken off the list after it was sent, so that none is lost if sending fails.
  for (const message of [...messages]) {
    await sendAgain(app, queueUrl, message);
    messages.shift();
  }
}

async function sendAgain(app: SqsApp, queueUrl: string, message: KeptMessage): Promise<void> {
  await app.inject({
    method: "POST",
    url: "/",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "AmazonSQS.SendMessage",
    },
    payload: JSON.stringify({
      QueueUrl: queueUrl,
      MessageBody: message.body,
      MessageAttributes: message.messageAttributes,
      MessageGroupId: message.messageGroupId,
      MessageDeduplicationId: message.messageDeduplicationId,
    }),
  });
}

function byArrival(one: KeptMessage, other: KeptMessage): number {
  const bySequence = (one.sequenceNumber ?? "").localeCompare(other.sequenceNumber ?? "");
  return bySequence || one.sentTimestamp - other.sentTimestamp;
}
