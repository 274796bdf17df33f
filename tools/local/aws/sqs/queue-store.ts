import { existsSync, readFileSync } from "node:fs";
import * as z from "zod";
import { writeOwnFile } from "../../write-own-file.ts";
import { AwsError, unknownQueue } from "../aws-error.ts";
import { localAccountId } from "../local-account.ts";
import { messageSchema } from "./message.ts";
import { arnOf, type Queue, wake } from "./queue.ts";
import {
  acceptsLettersOf,
  type QueueAttributes,
  readAttributes,
  redriveOf,
} from "./queue-attributes.ts";

const keptQueueSchema = z.object({
  messages: z.array(messageSchema),
  sent: z.array(
    z.tuple([
      z.string(),
      z.object({
        id: z.string(),
        sequenceNumber: z.string().optional(),
        atMilliseconds: z.number(),
      }),
    ]),
  ),
  lastSequence: z.number(),
});
type KeptQueue = z.output<typeof keptQueueSchema>;

export interface QueueStore {
  readonly queues: Map<string, Queue>;
  /** Data of an earlier start for queues that this start has not created yet. */
  readonly kept: Map<string, KeptQueue>;
  readonly now: () => number;
  readonly tell: QueueEvents;
  /** When messages were last returned to a receiver, by `performance.now()`. */
  lastGivenAt: number;
  /** The address of the emulator, for queue URLs. */
  endpoint: string;
}

/** Events of a queue, by its name. */
export interface QueueEvents {
  /** A receive. */
  readonly received: (queueName: string) => void;
  /** A message was received too often and moved to the dead-letter queue. */
  readonly buried: (queueName: string, body: string) => void;
}

const tellNobody: QueueEvents = { received: () => {}, buried: () => {} };

export function openStore(
  dataFile: string | undefined,
  now: () => number,
  tell = tellNobody,
): QueueStore {
  const kept = dataFile === undefined ? new Map() : readKept(dataFile);
  return { queues: new Map(), kept, now, tell, lastGivenAt: 0, endpoint: "" };
}

export function urlOf({ endpoint }: QueueStore, { name }: Queue): string {
  return `${endpoint}/${localAccountId}/${name}`;
}

/** SQS identifies a queue by the path of its URL alone. */
export function queuePathOf(queueUrl: string) {
  const path = URL.canParse(queueUrl) ? new URL(queueUrl).pathname : queueUrl;
  const [, account, name = ""] = path.split("/");
  return { account, name };
}

export function findQueue({ queues }: QueueStore, queueUrl: string): Queue {
  const { account, name } = queuePathOf(queueUrl);
  const queue = account === localAccountId ? queues.get(name) : undefined;
  if (queue !== undefined) return queue;
  throw unknownQueue;
}

export function findByName({ queues }: QueueStore, name: string): Queue {
  const queue = queues.get(name);
  if (queue !== undefined) return queue;
  throw unknownQueue;
}

export function findByArn({ queues }: QueueStore, arn: string): Queue | undefined {
  return [...queues.values()].find((queue) => queue.arn === arn);
}

type Given = Readonly<Record<string, string>>;

/** Returns an existing queue with the same attributes. */
export function createQueue(store: QueueStore, name: string, given: Given): Queue {
  checkName(name, given["FifoQueue"] === "true");
  const attributes = readAttributes(given);
  const existing = store.queues.get(name);
  if (existing !== undefined) return same(existing, given);
  checkDeadLetters(store, arnOf(name), attributes);
  const kept = store.kept.get(name);
  store.kept.delete(name);
  const now = store.now();
  const queue: Queue = {
    name,
    arn: arnOf(name),
    attributes,
    createdAtMilliseconds: now,
    changedAtMilliseconds: now,
    // Messages that were in flight at the stop have no consumer any more.
    messages: new Map(
      kept?.messages.map((message) => [message.id, { ...message, visibleAtMilliseconds: 0 }]),
    ),
    sent: new Map(kept?.sent),
    lastSequence: kept?.lastSequence ?? 0,
    moveTasks: [],
    counted: { sent: 0, received: 0, emptyReceives: 0, deleted: 0 },
    waiting: new Set(),
  };
  store.queues.set(name, queue);
  return queue;
}

/** Throws the error of SQS if the dead-letter queue does not accept this source queue. */
export function checkDeadLetters(
  store: QueueStore,
  sourceArn: string,
  attributes: QueueAttributes,
): void {
  const target = findByArn(store, redriveOf(attributes)?.deadLetterTargetArn ?? "");
  if (target === undefined || acceptsLettersOf(target.attributes, sourceArn)) return;
  const reason =
    "Reason: The RedriveAllowPolicy of the dead-letter queue refuses this source queue.";
  const message = `Value ${attributes.RedrivePolicy} for parameter RedrivePolicy is invalid. ${reason}`;
  throw new AwsError("InvalidParameterValue", message);
}

function checkName(name: string, fifo: boolean): void {
  const pattern = fifo ? /^(?=.{1,80}$)[\w-]+\.fifo$/ : /^[\w-]{1,80}$/;
  if (pattern.test(name)) return;
  const ending = fifo ? ", and must end with .fifo" : "";
  const message = `A queue name can only have 1 to 80 letters, digits, hyphens and underscores${ending}.`;
  throw new AwsError("InvalidParameterValue", message);
}

function same(existing: Queue, given: Given): Queue {
  const attributes = new Map<string, string | undefined>(Object.entries(existing.attributes));
  const different = Object.entries(given).find(([name, value]) => attributes.get(name) !== value);
  if (different === undefined) return existing;
  const message = `A queue already exists with the same name and a different value for attribute ${different[0]}`;
  throw new AwsError("QueueNameExists", message);
}

/** Pending receives end without messages. */
export function deleteQueue(store: QueueStore, queue: Queue): void {
  store.queues.delete(queue.name);
  queue.messages.clear();
  wake(queue);
}

function readKept(dataFile: string): Map<string, KeptQueue> {
  if (!existsSync(dataFile)) return new Map();
  const content = JSON.parse(readFileSync(dataFile, "utf8"));
  return new Map(Object.entries(z.record(z.string(), keptQueueSchema).parse(content)));
}

/** Includes the data of queues that this start has not created: it may fail or be stopped before that. */
export function saveQueues({ queues, kept }: QueueStore, dataFile: string): void {
  const current = [...queues.values()].map(({ name, messages, sent, lastSequence }) => {
    return [name, { messages: [...messages.values()], sent: [...sent], lastSequence }] as const;
  });
  writeOwnFile(dataFile, JSON.stringify(Object.fromEntries([...kept, ...current])));
}
