import { isFaultOfAws } from "../aws-fault.ts";
import type { Delivery, Failure } from "../delivery/deliver-event.ts";
import type { Fact } from "../facts/fact.ts";
import { readFact } from "../facts/read-fact.ts";
import { type InboxMessage, readInboxMessage } from "../inbox/inbox-message.ts";
import { PaycastError } from "../paycast-error.ts";
import type { CallbackRecord, PublishedRecord } from "../records/callback-record.ts";
import type { Receipt } from "../records/receipt.ts";
import type { RecordedReceipt } from "../records/record-receipt.ts";
import { errorFields, type LogFields, type WriteLine } from "../telemetry/log-line.ts";
import {
  deliveryPatienceMilliseconds,
  deliveryTrialMilliseconds,
  failurePatienceMilliseconds,
  failureTrialMilliseconds,
} from "../timing.ts";
import type { FailingSince } from "./failing-since.ts";
import type { QueuedMessage, Verdict } from "./process-batch.ts";
import { countGivenBack, describeProcessing, type Ending, identify } from "./processing-line.ts";
import type { SendToDeadLetters } from "./send-to-dead-letters.ts";

export interface ProcessCallback {
  readonly record: (receipt: Receipt, fact: Fact) => Promise<RecordedReceipt>;
  readonly deliver: (record: PublishedRecord) => Promise<Delivery>;
  readonly markDelivered: (record: PublishedRecord, done: readonly string[]) => Promise<void>;
  readonly recordQuarantine: (receipt: Receipt, why: PaycastError) => Promise<void>;
  readonly sendToDeadLetters: SendToDeadLetters;
  readonly failingSince: FailingSince;
  readonly now: () => number;
  readonly log: WriteLine;
}

/** Takes one message from the inbox to the subscribers. */
export async function processCallback(
  queued: QueuedMessage,
  deps: ProcessCallback,
): Promise<Verdict> {
  const startedAt = deps.now();
  let message: InboxMessage | undefined;
  try {
    message = readInboxMessage(queued.body);
    const fact = readFact(message);
    if (fact === undefined) return noFact(queued, message, deps);
    const recorded = await deps.record(receiptOf(queued, message), fact);
    const delivery = await deliver(recorded.record, deps);
    const ending = await end(queued, recorded.record, delivery.failures, deps);
    const processed = { fact, recorded, delivery, ending };
    deps.log(...describeProcessing(queued, processed, startedAt, deps.now()));
    if (ending !== "given-back") return "done";
    return { triedForMilliseconds: triedForMilliseconds(queued, recorded.record, deps.now()) };
  } catch (error) {
    return await setAside(queued, message, error, deps);
  }
}

function receiptOf({ body, group }: QueuedMessage, message: InboxMessage): Receipt {
  return { message, body, group };
}

/** A query's answer that contains nothing new about a payment. */
function noFact(queued: QueuedMessage, message: InboxMessage, deps: ProcessCallback): Verdict {
  const { messageId } = queued;
  deps.log({ outcome: "no-fact", messageId, ...identify(message) }, { NoFact: 1 });
  return "done";
}

const nothingToSend: Delivery = { delivered: [], failures: [] };

async function deliver(record: CallbackRecord, deps: ProcessCallback): Promise<Delivery> {
  if (record.outcome !== "published" || isFinished(record)) return nothingToSend;
  const delivery = await deps.deliver(record);
  await deps.markDelivered(record, delivery.delivered);
  return delivery;
}

/** No subscriber is pending, and the record has its expiry time if it needs one. */
function isFinished({ pending, keptUntil, expiresAt }: PublishedRecord): boolean {
  return pending.length === 0 && expiresAt === keptUntil;
}

/**
 * With a subscriber still pending the message goes back to the inbox. After five minutes it goes to the dead letters,
 * and the order goes on. A subscriber that was removed from the config meanwhile ends the same way.
 */
async function end(
  queued: QueuedMessage,
  record: CallbackRecord,
  failures: readonly Failure[],
  deps: ProcessCallback,
): Promise<Ending> {
  if (failures.length === 0) return "delivered";
  if (!isPatienceOver(queued, record, deps.now())) return "given-back";
  const names = failures.map(({ subscriber, errorName }) => `${subscriber} (${errorName})`);
  const why = new PaycastError("subscriber-unreachable", `Not delivered to ${names.join(", ")}.`);
  await deps.sendToDeadLetters(queued, why);
  return "undeliverable";
}

/**
 * Counted from the receipt of the callback, so that the waiting times of one order's events overlap and do not add up.
 * A backlog or a redriven message may be older than that, so each event is still tried for a minute.
 */
function isPatienceOver(queued: QueuedMessage, record: CallbackRecord, now: number): boolean {
  return (
    now - Date.parse(record.receivedAt) >= deliveryPatienceMilliseconds &&
    triedForMilliseconds(queued, record, now) >= deliveryTrialMilliseconds
  );
}

/** The record is made by the first try of a callback. A redriven message has an older record, and begins when it is sent. */
function triedForMilliseconds(
  { sentAtMilliseconds }: QueuedMessage,
  { recordedAt }: CallbackRecord,
  now: number,
): number {
  return now - Math.max(Date.parse(recordedAt), sentAtMilliseconds);
}

/** An error that no retry fixes is quarantined for a person; any other gives the message back. */
async function setAside(
  queued: QueuedMessage,
  message: InboxMessage | undefined,
  error: unknown,
  deps: ProcessCallback,
): Promise<Verdict> {
  const why = reasonToGiveUp(queued, error, deps);
  if (why === undefined) return giveBack(queued, message, errorFields(error), deps);
  try {
    await keepRecord(queued, message, why, deps);
    await deps.sendToDeadLetters(queued, why);
  } catch (failure) {
    return giveBack(queued, message, errorFields(failure), deps);
  }
  const { code: reason, message: detail } = why;
  const fields: LogFields = { outcome: "quarantined", reason, detail, messageId: queued.messageId };
  deps.log({ ...fields, ...identify(message) }, { Quarantined: 1 });
  return "done";
}

/**
 * An error of AWS is never a reason: the message is tried until it passes. Our own error is one after six hours, because
 * the group waits behind it. The age alone does not count: this instance must have seen the message itself fail.
 */
function reasonToGiveUp(
  { messageId, sentAtMilliseconds }: QueuedMessage,
  error: unknown,
  { failingSince, now }: ProcessCallback,
): PaycastError | undefined {
  if (isFaultOfAws(error)) return undefined;
  if (error instanceof PaycastError) return error;
  const failedFor = now() - failingSince(messageId, now());
  const age = now() - sentAtMilliseconds;
  if (age < failurePatienceMilliseconds || failedFor < failureTrialMilliseconds) return undefined;
  const { errorName } = errorFields(error);
  return new PaycastError("processing-failed", `Processing fails with ${errorName}.`, {
    cause: error,
  });
}

/** If the record cannot be written, also later, the message must still reach the dead letters. */
async function keepRecord(
  queued: QueuedMessage,
  message: InboxMessage | undefined,
  why: PaycastError,
  deps: ProcessCallback,
): Promise<void> {
  if (message === undefined) return;
  try {
    await deps.recordQuarantine(receiptOf(queued, message), why);
  } catch (error) {
    if (reasonToGiveUp(queued, error, deps) === undefined) throw error;
  }
}

/** There is not enough time left to finish the message, so it is not begun. */
export function leaveForLater(queued: QueuedMessage, deps: ProcessCallback): Verdict {
  const { messageId } = queued;
  deps.log({ outcome: "left-for-later", messageId }, countGivenBack(queued, deps.now()));
  return { triedForMilliseconds: 0 };
}

function giveBack(
  queued: QueuedMessage,
  message: InboxMessage | undefined,
  why: Partial<LogFields>,
  deps: ProcessCallback,
): Verdict {
  const { messageId } = queued;
  const fields: LogFields = { outcome: "failed", messageId, ...identify(message), ...why };
  deps.log(fields, { Failed: 1, ...countGivenBack(queued, deps.now()) });
  return {};
}
