import { isFaultOfAws } from "../aws-fault.ts";
import type { Delivery } from "../delivery/deliver-event.ts";
import type { Fact } from "../facts/fact.ts";
import { readFact } from "../facts/read-fact.ts";
import type { Subject } from "../facts/subject.ts";
import { type InboxMessage, readInboxMessage, subjectOfMessage } from "../inbox/inbox-message.ts";
import { PaycastError } from "../paycast-error.ts";
import type { CallbackRecord, PublishedRecord } from "../records/callback-record.ts";
import type { Receipt } from "../records/receipt.ts";
import type { RecordedReceipt } from "../records/record-receipt.ts";
import type { Marking } from "../records/record-store.ts";
import { errorFields, type LogFields, type WriteLine } from "../telemetry/log-line.ts";
import { failurePatienceMilliseconds, failureTrialMilliseconds } from "../timing.ts";
import {
  attentionLeft,
  type Ending,
  endOf,
  isNoted,
  type Tried,
  triedForMilliseconds,
} from "./end-delivery.ts";
import type { FailingSince } from "./failing-since.ts";
import type { ProcessResult, QueuedMessage } from "./process-batch.ts";
import { countGivenBack, describeProcessing, identify } from "./processing-line.ts";
import type { SendToDeadLetters } from "./send-to-dead-letters.ts";

export interface ProcessCallback {
  readonly record: (receipt: Receipt, fact: Fact) => Promise<RecordedReceipt>;
  readonly deliver: (record: PublishedRecord) => Promise<Delivery>;
  /** False if the record has changed meanwhile. */
  readonly mark: (record: PublishedRecord, marking: Marking) => Promise<boolean>;
  /** Whether a subscriber's queue has refused for so long that an event gets one try. */
  readonly isHopeless: (subscriber: string) => boolean;
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
): Promise<ProcessResult> {
  const startedAt = deps.now();
  let message: InboxMessage | undefined;
  try {
    message = readInboxMessage(queued.body);
    const fact = readFact(message);
    if (fact === undefined) return noFact(queued, message, deps);
    const recorded = await deps.record(receiptOf(queued, message), fact);
    const { record } = recorded;
    const { delivery, ending } = await deliver(queued, record, subjectOfMessage(message), deps);
    const processed = { fact, recorded, delivery, ending };
    deps.log(...describeProcessing(queued, processed, startedAt, deps.now()));
    if (ending !== "given-back") return "done";
    return {
      triedForMilliseconds: triedForMilliseconds({ queued, record, nowMilliseconds: deps.now() }),
    };
  } catch (error) {
    return await setAside(queued, message, error, deps);
  }
}

function receiptOf({ body, group }: QueuedMessage, message: InboxMessage): Receipt {
  return { message, body, group };
}

/** A query's answer that contains nothing new about a payment. */
function noFact(
  queued: QueuedMessage,
  message: InboxMessage,
  deps: ProcessCallback,
): ProcessResult {
  const { messageId } = queued;
  deps.log({ outcome: "no-fact", messageId, ...identify(message) }, { NoFact: 1 });
  return "done";
}

interface Delivered {
  readonly delivery: Delivery;
  readonly ending: Ending;
}

const nothingToSend: Delivered = {
  delivery: { delivered: [], failures: [] },
  ending: "delivered",
};

/** Sends to the pending subscribers, and notes in the record who has the event and who is left. */
async function deliver(
  queued: QueuedMessage,
  record: CallbackRecord,
  subject: Subject | undefined,
  deps: ProcessCallback,
): Promise<Delivered> {
  if (record.outcome !== "published" || isFinished(record)) return nothingToSend;
  const delivery = await deps.deliver(record);
  const { delivered, failures } = delivery;
  const tried: Tried = { queued, record, failures, nowMilliseconds: deps.now() };
  const ending = endOf(tried, deps.isHopeless);
  const left = attentionLeft(tried, ending, subject);
  const isKnown = delivered.length === 0 && left !== undefined && isNoted(record, left);
  const isMarked = isKnown || (await deps.mark(record, { delivered, left }));
  // Somebody else delivered or dismissed it meanwhile: the next try reads what is left now.
  return { delivery, ending: isMarked ? ending : "given-back" };
}

/** No subscriber is pending, the record has its expiry time if it needs one, and nothing in it needs a person. */
function isFinished({ pending, keptUntil, expiresAt, attention }: PublishedRecord): boolean {
  return pending.length === 0 && expiresAt === keptUntil && attention === undefined;
}

/** An error that no retry fixes is quarantined for a person; any other gives the message back. */
async function setAside(
  queued: QueuedMessage,
  message: InboxMessage | undefined,
  error: unknown,
  deps: ProcessCallback,
): Promise<ProcessResult> {
  const why = reasonToGiveUp(queued, message, error, deps);
  if (why === undefined) return giveBack(queued, message, errorFields(error), deps);
  try {
    if (!(await keepRecord(queued, message, why, deps))) {
      await deps.sendToDeadLetters(queued, why);
    }
  } catch (failure) {
    return giveBack(queued, message, errorFields(failure), deps);
  }
  const { code: reason, message: detail } = why;
  const fields: LogFields = { outcome: "quarantined", reason, detail, messageId: queued.messageId };
  deps.log({ ...fields, ...identify(message) }, { Quarantined: 1 });
  return "done";
}

/**
 * An error of AWS is never a reason: the message is tried until it passes. An error of our own code is a reason when the
 * message is six hours old, because its group waits. The age counts from the receipt: the group must not wait six hours
 * for each redrive that comes before the fix. This instance must also have seen the message itself fail for some time.
 */
function reasonToGiveUp(
  { messageId, sentAtMilliseconds }: QueuedMessage,
  message: InboxMessage | undefined,
  error: unknown,
  { failingSince, now }: ProcessCallback,
): PaycastError | undefined {
  if (isFaultOfAws(error)) return undefined;
  if (error instanceof PaycastError) return error;
  const failedFor = now() - failingSince(messageId, now());
  const age = now() - (message?.receivedAtMilliseconds ?? sentAtMilliseconds);
  if (age < failurePatienceMilliseconds || failedFor < failureTrialMilliseconds) return undefined;
  const { errorName } = errorFields(error);
  return new PaycastError("processing-failed", `Processing fails with ${errorName}.`, {
    cause: error,
  });
}

/** False if there can be no record of it: Paycast did not write it, or it is too large. Then only a dead letter is left. */
async function keepRecord(
  queued: QueuedMessage,
  message: InboxMessage | undefined,
  why: PaycastError,
  deps: ProcessCallback,
): Promise<boolean> {
  if (message === undefined) return false;
  try {
    await deps.recordQuarantine(receiptOf(queued, message), why);
    return true;
  } catch (error) {
    if (reasonToGiveUp(queued, message, error, deps) === undefined) throw error;
    return false;
  }
}

/** There is not enough time left to finish the message, so it is not begun. */
export function leaveForLater(queued: QueuedMessage, deps: ProcessCallback): ProcessResult {
  const { messageId } = queued;
  deps.log({ outcome: "left-for-later", messageId }, countGivenBack(queued, deps.now()));
  return { triedForMilliseconds: 0 };
}

function giveBack(
  queued: QueuedMessage,
  message: InboxMessage | undefined,
  why: Partial<LogFields>,
  deps: ProcessCallback,
): ProcessResult {
  const { messageId } = queued;
  const fields: LogFields = { outcome: "failed", messageId, ...identify(message), ...why };
  deps.log(fields, { Failed: 1, ...countGivenBack(queued, deps.now()) });
  return {};
}
