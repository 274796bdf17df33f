import { setTimeout as pause } from "node:timers/promises";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import { eventSchema, type PaycastEvent } from "../../shared/events/event.ts";
import { parseJson } from "../../shared/parse-json.ts";
import type { Target } from "../target/target.ts";
import { smokeOrderPrefix } from "./smoke-callback.ts";

export interface WaitForEvent {
  readonly orderNo: string;
  readonly endsAt: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** An event that was sent longer ago is of a run that has ended. */
  readonly leftoverMilliseconds: number;
  /** Deletes what an event's run left in the tables. */
  readonly forget: (event: PaycastEvent) => Promise<void>;
}

/** Long polls ask all servers of SQS; a short poll may miss a message. */
const longestPollSeconds = 10;
/** If this run is killed, another one soon sees what it had received. */
const visibilitySeconds = 30;
/** So that two runs at once do not give each other's events back and forth without a pause. */
const givenBackMilliseconds = 300;

/**
 * Takes this run's next events out of the queue: several if SQS gives them at once, none if none comes in time. Events of
 * runs that still wait are left there. An event is deleted last: if this process is killed before, the next run finds it
 * and cleans up.
 */
export async function takeEvents(
  target: Target,
  queueUrl: string,
  wait: WaitForEvent,
): Promise<readonly PaycastEvent[]> {
  for (;;) {
    const leftMilliseconds = wait.endsAt - wait.now();
    if (leftMilliseconds <= 0) return [];
    const messages = await receive(target, queueUrl, leftMilliseconds, wait.signal);
    const taken = await Promise.all(messages.map((one) => handle(target, queueUrl, one, wait)));
    const own = taken.filter((result) => result !== "other");
    if (own.length > 0) return own;
    if (taken.length > 0) await pause(givenBackMilliseconds, undefined, { signal: wait.signal });
  }
}

async function receive(
  { clients }: Target,
  QueueUrl: string,
  leftMilliseconds: number,
  abortSignal: AbortSignal,
): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: Math.min(longestPollSeconds, Math.ceil(leftMilliseconds / 1000)),
    VisibilityTimeout: visibilitySeconds,
    MessageSystemAttributeNames: ["SentTimestamp"],
  });
  const { Messages = [] } = await clients.sqs.send(command, { abortSignal });
  return Messages;
}

async function handle(
  target: Target,
  queueUrl: string,
  message: Message,
  wait: WaitForEvent,
): Promise<PaycastEvent | "other"> {
  const event = eventIn(message);
  const isOwn = event?.subject === wait.orderNo;
  if (event !== undefined && (isOwn || isLeftover(message, event, wait))) {
    await wait.forget(event);
    await deleteMessage(target, queueUrl, message);
    return isOwn ? event : "other";
  }
  if (event !== undefined) await giveBack(target, queueUrl, message);
  return "other";
}

function eventIn({ Body = "" }: Message): PaycastEvent | undefined {
  const read = eventSchema.safeParse(parseJson(Body));
  return read.success ? read.data : undefined;
}

function isLeftover(message: Message, { subject = "" }: PaycastEvent, wait: WaitForEvent): boolean {
  const sentAt = Number(message.Attributes?.SentTimestamp);
  const isOld = wait.now() - sentAt >= wait.leftoverMilliseconds;
  return isOld && subject.startsWith(smokeOrderPrefix);
}

async function deleteMessage({ clients }: Target, QueueUrl: string, { ReceiptHandle }: Message) {
  await clients.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

/** The run that waits for it sees it at once. */
async function giveBack({ clients }: Target, QueueUrl: string, { ReceiptHandle }: Message) {
  const VisibilityTimeout = 0;
  await clients.sqs.send(
    new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }),
  );
}
