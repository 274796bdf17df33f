import { setTimeout as pause } from "node:timers/promises";
import { eventSchema, type PaycastEvent } from "../../shared/events/event.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { type HeldMessage, type MessageQueue, openQueue } from "../dead-letters/message-queue.ts";
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

const longestPollSeconds = 10;
/** If this run is killed, another one soon sees what it had received. */
const holdMilliseconds = 30_000;
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
  const queue = openQueue(target, queueUrl, holdMilliseconds);
  for (;;) {
    const leftMilliseconds = wait.endsAt - wait.now();
    if (leftMilliseconds <= 0) return [];
    const waitSeconds = Math.min(longestPollSeconds, Math.ceil(leftMilliseconds / 1000));
    const messages = await queue.receive({ waitSeconds, stopped: wait.signal });
    const taken = await Promise.all(messages.map((one) => handle(queue, one, wait)));
    const own = taken.filter((result) => result !== "other");
    if (own.length > 0) return own;
    if (taken.length > 0) await pause(givenBackMilliseconds, undefined, { signal: wait.signal });
  }
}

async function handle(
  queue: MessageQueue,
  message: HeldMessage,
  wait: WaitForEvent,
): Promise<PaycastEvent | "other"> {
  const event = eventIn(message);
  const isOwn = event?.subject === wait.orderNo;
  if (event !== undefined && (isOwn || isLeftover(message, event, wait))) {
    await wait.forget(event);
    await queue.remove(message);
    return isOwn ? event : "other";
  }
  // The run that waits for it sees it at once.
  if (event !== undefined) await queue.giveBack([message]);
  return "other";
}

function eventIn({ body }: HeldMessage): PaycastEvent | undefined {
  const read = eventSchema.safeParse(parseJson(body));
  return read.success ? read.data : undefined;
}

function isLeftover(
  { sentAtMilliseconds }: HeldMessage,
  { subject = "" }: PaycastEvent,
  wait: WaitForEvent,
): boolean {
  const isOld = wait.now() - sentAtMilliseconds >= wait.leftoverMilliseconds;
  return isOld && subject.startsWith(smokeOrderPrefix);
}
