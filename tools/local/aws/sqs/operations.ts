import * as z from "zod";
import { AwsError, readInput } from "../aws-error.ts";
import { listMoveTasks, startMoveTask } from "./move-tasks.ts";
import { changeVisibility, held, isDelayed, isInFlight, type Queue, remove } from "./queue.ts";
import { attributeTexts, readAttributes } from "./queue-attributes.ts";
import {
  checkDeadLetters,
  createQueue,
  deleteQueue,
  findByName,
  findQueue,
  type QueueStore,
  urlOf,
} from "./queue-store.ts";
import { receiveMessages, receiveSchema } from "./receive-messages.ts";
import { batchSchema, inBatch, sendMessage, sendSchema } from "./send-message.ts";

const deleteSchema = z.object({ ReceiptHandle: z.string() });
const visibilitySchema = z.object({
  ReceiptHandle: z.string(),
  VisibilityTimeout: z.coerce.number().int().min(0).max(43_200),
});
const nameSchema = z.object({ QueueName: z.string() });
const sourceSchema = z.object({ SourceArn: z.string() });

const operations = {
  CreateQueue: onStore(
    nameSchema.extend({ Attributes: attributeTexts.default({}) }),
    (store, { QueueName, Attributes }) => ({
      QueueUrl: urlOf(store, createQueue(store, QueueName, Attributes)),
    }),
  ),
  GetQueueUrl: onStore(nameSchema, (store, { QueueName }) => ({
    QueueUrl: urlOf(store, findByName(store, QueueName)),
  })),
  ListQueues: onStore(z.object({ QueueNamePrefix: z.string().default("") }), (store, input) => ({
    QueueUrls: [...store.queues.values()]
      .filter(({ name }) => name.startsWith(input.QueueNamePrefix))
      .map((queue) => urlOf(store, queue)),
  })),
  StartMessageMoveTask: onStore(
    sourceSchema.extend({ DestinationArn: z.string().optional() }),
    (store, { SourceArn, DestinationArn }) => startMoveTask(store, SourceArn, DestinationArn),
  ),
  ListMessageMoveTasks: onStore(
    sourceSchema.extend({ MaxResults: z.coerce.number().int().min(1).max(10).default(1) }),
    (store, { SourceArn, MaxResults }) => listMoveTasks(store, SourceArn, MaxResults),
  ),
  DeleteQueue: onQueue(z.object({}), (queue, _input, { store }) => {
    deleteQueue(store, queue);
    return {};
  }),
  PurgeQueue: onQueue(z.object({}), (queue) => {
    queue.messages.clear();
    return {};
  }),
  GetQueueAttributes: onQueue(
    z.object({ AttributeNames: z.array(z.string()).default([]) }),
    (queue, { AttributeNames }, { now }) => {
      const all = Object.entries(attributesOf(queue, now));
      const isWanted = (name: string) =>
        AttributeNames.includes("All") || AttributeNames.includes(name);
      return { Attributes: Object.fromEntries(all.filter(([name]) => isWanted(name))) };
    },
  ),
  SetQueueAttributes: onQueue(
    z.object({ Attributes: attributeTexts }),
    (queue, { Attributes }, { store, now }) => {
      const attributes = readAttributes({ ...queue.attributes, ...Attributes });
      checkDeadLetters(store, queue.arn, attributes);
      queue.attributes = attributes;
      queue.changedAtMilliseconds = now;
      return {};
    },
  ),
  SendMessage: onQueue(sendSchema, sendMessage),
  SendMessageBatch: onBatch(sendSchema, sendMessage),
  ReceiveMessage: onQueue(receiveSchema, (queue, input, { store, gone }) =>
    receiveMessages(store, queue, input, gone),
  ),
  DeleteMessage: onQueue(deleteSchema, deleteMessage),
  DeleteMessageBatch: onBatch(deleteSchema, deleteMessage),
  ChangeMessageVisibility: onQueue(visibilitySchema, changeMessageVisibility),
  ChangeMessageVisibilityBatch: onBatch(visibilitySchema, changeMessageVisibility),
};
const operationsByName = new Map<string, Operation>(Object.entries(operations));

type Answer = object | Promise<object>;
type Operation = (store: QueueStore, input: unknown, gone: AbortSignal) => Answer;

/**
 * Runs one operation. Throws an AwsError with the name that AWS uses. `gone` is aborted when the caller has
 * disconnected.
 */
export async function runOperation(
  store: QueueStore,
  name: string,
  input: unknown,
  gone: AbortSignal,
): Promise<object> {
  const run = operationsByName.get(name);
  if (run !== undefined) return await run(store, input, gone);
  throw new AwsError("UnsupportedOperation", `The local SQS has no operation ${name}.`);
}

function onStore<Input>(
  schema: z.ZodType<Input>,
  run: (store: QueueStore, input: Input) => Answer,
): Operation {
  return (store, input) => run(store, read(schema, input));
}

interface Call {
  readonly store: QueueStore;
  readonly now: number;
  readonly gone: AbortSignal;
}

const urlSchema = z.object({ QueueUrl: z.string() });

function onQueue<Input>(
  schema: z.ZodType<Input>,
  run: (queue: Queue, input: Input, call: Call) => Answer,
): Operation {
  return (store, input, gone) => {
    const queue = findQueue(store, read(urlSchema, input).QueueUrl);
    return run(queue, read(schema, input), { store, now: store.now(), gone });
  };
}

/** The same for up to ten messages. */
function onBatch<Input>(
  schema: z.ZodType<Input>,
  run: (queue: Queue, input: Input, call: Call) => object,
): Operation {
  return onQueue(batchSchema, (queue, { Entries }, call) =>
    inBatch(Entries, (entry) => run(queue, read(schema, entry), call)),
  );
}

function read<Input>(schema: z.ZodType<Input>, input: unknown): Input {
  return readInput(schema, input, "InvalidParameterValue");
}

function deleteMessage(queue: Queue, input: z.output<typeof deleteSchema>, { now }: Call): object {
  remove(queue, input.ReceiptHandle, now);
  queue.counted.deleted += 1;
  return {};
}

function changeMessageVisibility(
  queue: Queue,
  { ReceiptHandle, VisibilityTimeout }: z.output<typeof visibilitySchema>,
  { now }: Call,
): object {
  changeVisibility(queue, ReceiptHandle, VisibilityTimeout, now);
  return {};
}

function attributesOf(queue: Queue, now: number): object {
  const messages = held(queue, now);
  const inFlight = messages.filter((message) => isInFlight(message, now)).length;
  const delayed = messages.filter((message) => isDelayed(message, now)).length;
  return {
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(messages.length - inFlight - delayed),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    CreatedTimestamp: toSeconds(queue.createdAtMilliseconds),
    LastModifiedTimestamp: toSeconds(queue.changedAtMilliseconds),
    ...queue.attributes,
  };
}

function toSeconds(milliseconds: number): string {
  return String(Math.floor(milliseconds / 1_000));
}
