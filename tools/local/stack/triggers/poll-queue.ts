import { setTimeout as wait } from "node:timers/promises";
import {
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod";
import { localRegion } from "../../aws/local-account.ts";
import type { InvocationResult } from "../functions/function-instance.ts";
import type { StackLog } from "../functions/stack-event.ts";

export interface QueueSource {
  readonly queueUrl: string;
  readonly queueArn: string;
  /** The name in log lines. */
  readonly label: string;
  readonly batchSize: number;
  readonly maxConcurrency: number;
  /** Default: the queue's own setting. */
  readonly visibilitySeconds?: number;
}

/** What receives the messages: a function, or a consumer in this process. */
interface Receiver {
  readonly definition: { readonly label: string };
  invoke(event: unknown): Promise<InvocationResult>;
}

export interface Poller {
  /** Receives no more messages, and waits for the batches in progress. */
  stop(): Promise<void>;
}

const pauseAfterErrorMilliseconds = 500;

/**
 * Passes a queue's messages to a function. A failed message stays in the queue and becomes visible again after its
 * visibility timeout. Until then the queue holds back the later messages of its FIFO group.
 */
export function pollQueue(
  client: SQSClient,
  source: QueueSource,
  running: Receiver,
  log: StackLog,
): Poller {
  let stopping = false;
  const poll = async () => {
    while (!stopping) {
      try {
        await handleBatch(client, source, running, log);
      } catch (error) {
        if (stopping) return;
        log({ kind: "notice", message: `${source.label} cannot be read: ${String(error)}` });
        await wait(pauseAfterErrorMilliseconds);
      }
    }
  };
  const polling = Array.from({ length: source.maxConcurrency }, poll);
  const stop = async () => {
    stopping = true;
    await Promise.all(polling);
  };
  return { stop };
}

async function handleBatch(
  client: SQSClient,
  source: QueueSource,
  running: Receiver,
  log: StackLog,
): Promise<void> {
  const messages = await receive(client, source);
  if (messages.length === 0) return;
  const startedMilliseconds = performance.now();
  const Records = messages.map((message) => toRecord(message, source.queueArn));
  const result = await running.invoke({ Records });
  const failed = result.ok ? failedMessages(messages, result.json) : messages;
  await deleteMessages(
    client,
    source.queueUrl,
    messages.filter((message) => !failed.includes(message)),
  );
  log({
    kind: "batch",
    functionName: running.definition.label,
    queueName: source.label,
    messages: messages.length,
    failed: failed.length,
    durationMilliseconds: performance.now() - startedMilliseconds,
  });
}

async function receive(client: SQSClient, source: QueueSource): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: source.queueUrl,
    MaxNumberOfMessages: Math.min(source.batchSize, 10),
    // Short, because stopping waits for this call: an aborted call may already have received messages.
    WaitTimeSeconds: 1,
    VisibilityTimeout: source.visibilitySeconds,
    MessageSystemAttributeNames: ["All"],
    MessageAttributeNames: ["All"],
  });
  const { Messages = [] } = await client.send(command);
  return Messages;
}

async function deleteMessages(
  client: SQSClient,
  QueueUrl: string,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
  }));
  await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
}

/** A message in the event that Lambda creates from a batch. */
function toRecord(message: Message, eventSourceARN: string): object {
  const attributes = Object.entries(message.MessageAttributes ?? {});
  return {
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      attributes.map(([name, value]) => [name, toAttribute(value)]),
    ),
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion: localRegion,
  };
}

function toAttribute({ DataType, StringValue, BinaryValue }: MessageAttributeValue): object {
  return {
    ...(StringValue !== undefined && { stringValue: StringValue }),
    ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
    stringListValues: [],
    binaryListValues: [],
    dataType: DataType,
  };
}

const partialResponse = z
  .object({
    batchItemFailures: z.array(z.object({ itemIdentifier: z.string().min(1) })).nullish(),
  })
  .nullish();

/**
 * The failed messages, according to the function's response. If the response cannot be read or names a message that is
 * not in the batch, all messages failed, as with Lambda.
 */
export function failedMessages(messages: readonly Message[], resultJson: string): Message[] {
  const parsed = partialResponse.safeParse(JSON.parse(resultJson));
  if (!parsed.success) return [...messages];
  const failedIds = new Set(
    (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier),
  );
  const failed = messages.filter(({ MessageId }) => failedIds.has(MessageId ?? ""));
  return failed.length === failedIds.size ? failed : [...messages];
}
