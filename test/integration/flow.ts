import { ScanCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import {
  ChangeMessageVisibilityCommand,
  type Message,
  MessageNotInflight,
} from "@aws-sdk/client-sqs";
import * as z from "zod";
import { eventSchema, type PaycastEvent } from "../../shared/events/event.ts";
import { readOrder, readPayment } from "../../shared/orders/stored-aggregate.ts";
import { fromAttributes, toAttributes } from "../../shared/table/attributes.ts";
import { drain, getItem, receive, remove, scan } from "./aws-stores.ts";
import type { Instance } from "./instance.ts";
import { httpEvent, type Queued, sqsEvent, toQueued } from "./lambda-events.ts";
import type { World } from "./world.ts";

export interface Answer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** POST /callbacks. */
export async function post(instance: Instance, envelope: unknown): Promise<Answer> {
  const body = typeof envelope === "string" ? envelope : JSON.stringify(envelope);
  return await answerTo(instance, httpEvent(body));
}

export async function answerTo(instance: Instance, event: object): Promise<Answer> {
  const outcome = await instance.invoke(event);
  if (outcome.kind !== "returned") throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  return outcome.value as Answer;
}

/** Hands a batch to process-callback; returns the ids of the messages that stay in the inbox. */
export async function process(instance: Instance, ...batch: readonly Queued[]): Promise<string[]> {
  const outcome = await instance.invoke(sqsEvent(batch));
  if (outcome.kind !== "returned") throw new Error(`no answer: ${JSON.stringify(outcome)}`);
  const { batchItemFailures } = outcome.value as {
    batchItemFailures: { itemIdentifier: string }[];
  };
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}

/**
 * Hands messages to process-callback, several at the same time as many instances would, and those that fail again
 * and again until none does.
 */
export async function processAtOnce(
  instance: Instance,
  messages: readonly Queued[],
  atOnce: number,
): Promise<void> {
  let remaining = [...messages];
  for (let round = 0; remaining.length > 0; round += 1) {
    if (round === 20) throw new Error(`${remaining.length} messages keep failing`);
    const failed = new Set<string>();
    const waiting = [...remaining];
    const work = async () => {
      for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
        for (const id of await process(instance, message)) failed.add(id);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    remaining = remaining.filter(({ messageId }) => failed.has(messageId));
  }
}

/** Polls the inbox as Lambda does until it is empty; what fails comes back at once. */
export async function pump(world: World, instance: Instance, mostBatches = 200): Promise<void> {
  for (let batches = 0; batches < mostBatches; batches += 1) {
    const messages = await receive(world.sqs, world.inboxUrl);
    if (messages.length === 0) return;
    const failed = await process(instance, ...messages.map(toQueued));
    for (const message of messages) {
      if (failed.includes(message.MessageId!)) await giveBack(world, message);
      else await remove(world.sqs, world.inboxUrl, message);
    }
  }
  throw new Error(`the inbox is not empty after ${mostBatches} batches`);
}

/** The function has given it back for some seconds. They are over now, if they were not yet. */
export async function giveBack(world: World, { ReceiptHandle }: Message): Promise<void> {
  const command = { QueueUrl: world.inboxUrl, ReceiptHandle, VisibilityTimeout: 0 };
  await world.sqs.send(new ChangeMessageVisibilityCommand(command)).catch((error: unknown) => {
    if (!(error instanceof MessageNotInflight)) throw error;
  });
}

export function subscriber(world: World, name: string) {
  const found = world.subscribers.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no subscriber ${name}`);
  return found;
}

/** All that a subscriber has in its queue, taken out of it. */
export async function messagesOf(world: World, name: string): Promise<Message[]> {
  return await drain(world.sqs, subscriber(world, name).queueUrl);
}

/** The events that a subscriber has in its queue, read and taken out of it. */
export async function eventsOf(world: World, name: string): Promise<PaycastEvent[]> {
  const messages = await messagesOf(world, name);
  return messages.map(({ Body }) => eventSchema.parse(JSON.parse(Body!)));
}

/** What has no record: dead letters of the inbox, taken out. */
export async function deadLetters(world: World) {
  const messages = await drain(world.sqs, world.deadLettersUrl);
  return messages.map(({ Body, Attributes, MessageAttributes }) => ({
    body: Body!,
    group: Attributes!["MessageGroupId"]!,
    reason: MessageAttributes?.["reason"]?.StringValue,
    detail: MessageAttributes?.["detail"]?.StringValue,
  }));
}

const known = new WeakMap<World, Set<string>>();

/** Records that were quarantined or given up since the last call: a world is shared by the tests of a file. */
export async function quarantined(world: World) {
  const before = known.get(world) ?? new Set<string>();
  known.set(world, before);
  const found = (await records(world)).flatMap((record) => {
    const { attention, ...stored } = aside.parse(record);
    const id = `${stored.callbackKey} ${stored.receipt}`;
    if (attention === undefined || attention.kind === "waiting" || before.has(id)) return [];
    before.add(id);
    const { message: body, group, reason, detail } = stored;
    return [{ body, group, reason, detail, ...attention }];
  });
  return found.sort((left, right) => receivedAt(left) - receivedAt(right));
}

const aside = z.object({
  callbackKey: z.string(),
  receipt: z.string(),
  message: z.string(),
  group: z.string(),
  reason: z.string().optional(),
  detail: z.string().optional(),
  attention: z
    .object({ kind: z.string(), subscribers: z.record(z.string(), z.string()).optional() })
    .optional(),
});

const receivedAt = ({ body }: { body: string }): number => JSON.parse(body).receivedAtMilliseconds;

export async function orderItem(world: World, orderNo: string) {
  const aggregateKey = `${world.merchant.merchantId}#order#${orderNo}`;
  const item = await getItem(world.dynamodb, world.tables.orders, { aggregateKey });
  return item && readOrder(item);
}

export async function paymentItem(world: World, paymentId: string) {
  const aggregateKey = `${world.merchant.merchantId}#payment#${paymentId}`;
  const item = await getItem(world.dynamodb, world.tables.orders, { aggregateKey });
  return item && readPayment(item);
}

/** All records, with what their items leave out. */
export async function records(world: World) {
  const items = await scan(world.dynamodb, world.tables.callbacks);
  return items.filter((item) => !isNotice(item));
}

const isNotice = (item: Record<string, unknown>) => String(item["callbackKey"]).startsWith("#");

/** What is noticed about money or an order. */
export async function notices(world: World) {
  return (await scan(world.dynamodb, world.tables.callbacks)).filter(isNotice);
}

/** The same as a list has it: only what is open, as the index projects it. */
export async function openNotices(world: World) {
  const TableName = world.tables.callbacks;
  const command = new ScanCommand({ TableName, IndexName: "by-attention" });
  const { Items = [] } = await world.dynamodb.send(command);
  const shards = /^notice#[0-7]$/;
  return Items.map(fromAttributes).filter(({ attentionShard }) =>
    shards.test(String(attentionShard)),
  );
}

/** As `npx paycast attention dismiss` leaves it. */
export async function dismissNotice(world: World, notice: Record<string, unknown>): Promise<void> {
  const { callbackKey, receipt, keptUntil } = notice;
  await world.dynamodb.send(
    new UpdateItemCommand({
      TableName: world.tables.callbacks,
      Key: toAttributes({ callbackKey, receipt }),
      UpdateExpression:
        "SET dismissedAt = :now, expiresAt = :keptUntil REMOVE attention, attentionShard, attentionSince",
      ExpressionAttributeValues: {
        ":now": { S: new Date().toISOString() },
        ":keptUntil": { N: String(keptUntil) },
      },
    }),
  );
}

/**
 * The log lines of an instance, read. Tests that hand over messages which no queue has see that their visibility
 * cannot be changed: that line is left out.
 */
export function logOf(instance: Instance): Record<string, unknown>[] {
  const lines = instance.lines.map((line): Record<string, unknown> => JSON.parse(line));
  // A line without an outcome only counts something at another time.
  return lines.filter(({ outcome }) => outcome !== undefined && outcome !== "visibility-kept");
}

/** Tries until it is so, for half a minute at most. Often: some tests hold back what the function waits two seconds for. */
export async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isSo()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("it did not happen within half a minute");
}
