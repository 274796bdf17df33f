import { setTimeout as pause } from "node:timers/promises";
import { DeleteItemCommand } from "@aws-sdk/client-dynamodb";
import { eventSchema, type PaycastEvent } from "../../../shared/events/event.ts";
import { aggregateKeyOf } from "../../../shared/facts/subject.ts";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { firstReceipt } from "../../../shared/records/callback-record.ts";
import { toAttributes } from "../../../shared/table/attributes.ts";
import type { Orders } from "../ports/orders.ts";
import type { HeldMessage, MessageQueue } from "../ports/queues.ts";
import type { Records } from "../ports/records.ts";
import type { Target } from "../ports/target.ts";
import { loadRecord } from "../records/read-records.ts";
import { smokeOrderPrefix } from "./smoke-callback.ts";

/** What identifies everything that one smoke test stores in the tables. */
export interface SmokeTrace {
  readonly merchantId: string;
  readonly orderNo: string;
  readonly callbackId: string | undefined;
}

/** The key of the callback's record: the default profile signs the id. */
function recordKeyOf({ merchantId, callbackId = "" }: SmokeTrace) {
  const id = callbackId.replaceAll("-", "").toLowerCase();
  return { callbackKey: `${merchantId}#callback#${id}`, receipt: firstReceipt };
}

/**
 * Deletes a smoke test's record and order. Both keys begin with the merchant of smoke tests, so nothing of a real order
 * can be deleted.
 */
export async function cleanUp(
  target: Pick<Target, "orders" | "records">,
  trace: SmokeTrace,
): Promise<void> {
  const { merchantId, orderNo } = trace;
  const aggregateKey = aggregateKeyOf({ kind: "order", merchantId, orderNo });
  await Promise.all([
    deleteItem(target.records, recordKeyOf(trace)),
    deleteItem(target.orders, { aggregateKey }),
  ]);
}

async function deleteItem(
  { table, database }: Records | Orders,
  key: Record<string, string>,
): Promise<void> {
  const command = new DeleteItemCommand({ TableName: table, Key: toAttributes(key) });
  await database.client.send(command);
}

interface Explanation {
  readonly message: string;
  readonly action: string;
}

/** Where a stored callback stopped if its event did not arrive: its record shows it, or the inbox. */
export async function explainSilence(
  target: Pick<Target, "records" | "queues">,
  trace: SmokeTrace,
): Promise<Explanation> {
  const record = await loadRecord(target, recordKeyOf(trace));
  if (record === undefined) return await explainInbox(target);
  if (record.outcome === "quarantined") {
    const message = `process-callback quarantined the callback: ${record.reason}.`;
    return { message, action: "Read its log, and report it: a smoke test is always valid." };
  }
  if (record.outcome === "published" && record.pending.length > 0) {
    const message = `The event is recorded, but these subscribers have not accepted it yet: ${record.pending.join(", ")}.`;
    return { message, action: "Check that the queue of smoke tests exists: npx paycast check." };
  }
  return {
    message: "The event was sent to the queue of smoke tests but did not arrive here.",
    action: "Check that nothing else reads that queue.",
  };
}

async function explainInbox(target: Pick<Target, "queues">): Promise<Explanation> {
  const count = async (url: string) => {
    const { waiting, inFlight } = await target.queues.open(url).count();
    return waiting + inFlight;
  };
  const { url, deadLettersUrl } = target.queues.inbox;
  const [waiting, dead] = await Promise.all([count(url), count(deadLettersUrl)]);
  return {
    message: `The callback is stored but not processed: about ${waiting} messages are in the inbox, ${dead} in its dead letters.`,
    action: "Check whether process-callback runs: npx paycast check, and its log.",
  };
}

interface WaitForEvent {
  readonly orderNo: string;
  readonly endsAt: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** An event that was sent longer ago is of a run that has ended. */
  readonly leftoverMilliseconds: number;
  /** Deletes what an event's run stored in the tables. */
  readonly forget: (event: PaycastEvent) => Promise<void>;
}

const longestPollSeconds = 10;
/** If this run is killed, another one soon sees what it had received. */
const holdMilliseconds = 30_000;
/** A pause, so that two runs do not pass each other's events back and forth. */
const givenBackMilliseconds = 300;

/**
 * Takes this run's next events out of the queue: several if SQS returns them together, none if none arrives in time.
 * Events of runs that still wait stay there. An event is deleted last: if this process is killed before, the next run
 * finds it and cleans up.
 */
export async function takeEvents(
  target: Pick<Target, "queues">,
  queueUrl: string,
  wait: WaitForEvent,
): Promise<readonly PaycastEvent[]> {
  const queue = target.queues.open(queueUrl, holdMilliseconds);
  for (;;) {
    const leftMilliseconds = wait.endsAt - wait.now();
    if (leftMilliseconds <= 0) return [];
    const waitSeconds = Math.min(longestPollSeconds, Math.ceil(leftMilliseconds / 1000));
    const messages = await queue.receive({ waitSeconds, stopped: wait.signal });
    const taken = await Promise.all(messages.map((message) => handle(queue, message, wait)));
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
  // The run that waits for it sees it immediately.
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
