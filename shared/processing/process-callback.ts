import type { Delivery } from "../delivery/deliver-event.ts";
import type { Fact } from "../facts/fact.ts";
import { readFact } from "../facts/read-fact.ts";
import type { Subject } from "../facts/subject.ts";
import { type InboxMessage, readInboxMessage, subjectOfMessage } from "../inbox/inbox-message.ts";
import type {
  CallbackRecord,
  KnownFactRecord,
  PublishedRecord,
} from "../records/callback-record.ts";
import type { Receipt } from "../records/receipt.ts";
import type { RecordedReceipt } from "../records/record-receipt.ts";
import type { Marking } from "../records/record-store.ts";
import { toRfc3339 } from "../time/timestamp.ts";
import {
  attentionLeft,
  type Ending,
  endOf,
  isNoted,
  type Tried,
  triedForMilliseconds,
} from "./end-delivery.ts";
import {
  type IgnoredRedrive,
  type OpenedMessage,
  type OpenMessage,
  openMessage,
} from "./open-message.ts";
import type { ProcessResult, QueuedMessage } from "./process-batch.ts";
import { countGivenBack, describeProcessing, identify } from "./processing-line.ts";
import { refuseMessage, type SetAside, setAside } from "./set-aside.ts";

export interface ProcessCallback extends OpenMessage, SetAside {
  readonly record: (receipt: Receipt, fact: Fact) => Promise<RecordedReceipt>;
  /** For a record that a redrive names: gives its aggregate the fact if it lacks it. */
  readonly revise: (
    record: PublishedRecord | KnownFactRecord,
    receipt: Receipt,
    fact: Fact,
  ) => Promise<RecordedReceipt>;
  readonly deliver: (record: PublishedRecord) => Promise<Delivery>;
  /** False if the record has changed meanwhile. */
  readonly mark: (record: PublishedRecord, marking: Marking) => Promise<boolean>;
  /** Whether a subscriber's queue has refused for so long that an event gets one try. */
  readonly isHopeless: (subscriber: string) => boolean;
}

/** Takes one message from the inbox to the subscribers. */
export async function processCallback(
  queued: QueuedMessage,
  deps: ProcessCallback,
): Promise<ProcessResult> {
  const startedAt = deps.now();
  let receipt: Receipt | undefined;
  try {
    const opened = await openMessage(queued, deps);
    if (opened.kind === "refused") return await refuseMessage(queued, opened.why, deps);
    if (opened.kind === "ignored") return ignoreRedrive(queued, opened.reason, deps);
    receipt = receiptOf(queued, opened);
    const { message } = receipt;
    const fact = readFact(message);
    if (fact === undefined) return noFact(queued, message, deps);
    const recorded = await recordOpened(opened, receipt, fact, deps);
    const { record } = recorded;
    const { delivery, ending } = await deliver(queued, record, subjectOfMessage(message), deps);
    const processed = { fact, recorded, delivery, ending };
    deps.log(...describeProcessing(queued, processed, startedAt, deps.now()));
    if (ending !== "given-back") return "done";
    return {
      triedForMilliseconds: triedForMilliseconds({ queued, record, nowMilliseconds: deps.now() }),
    };
  } catch (error) {
    return await setAside({ queued, receipt }, error, deps);
  }
}

type Genuine = Extract<OpenedMessage, { kind: "genuine" | "redrive" }>;

/** A redrive repeats the message that its record keeps. Throws `inbox-message-unreadable`. */
function receiptOf({ group }: QueuedMessage, opened: Genuine): Receipt {
  const body = opened.kind === "genuine" ? opened.text : opened.record.message;
  return { message: readInboxMessage(body), body, group };
}

/** What is still in quarantine is tried like a new receipt. Any other record stays as it is. */
async function recordOpened(
  opened: Genuine,
  receipt: Receipt,
  fact: Fact,
  deps: ProcessCallback,
): Promise<RecordedReceipt> {
  if (opened.kind === "genuine" || opened.record.outcome === "quarantined") {
    return await deps.record(receipt, fact);
  }
  return await deps.revise(opened.record, receipt, fact);
}

function ignoreRedrive(
  { messageId }: QueuedMessage,
  reason: IgnoredRedrive,
  deps: ProcessCallback,
): ProcessResult {
  deps.log({ outcome: "redrive-ignored", reason, messageId });
  return "done";
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
  const remaining = attentionLeft(tried, ending, subject);
  const isKnown = delivered.length === 0 && remaining !== undefined && isNoted(record, remaining);
  const marking = { delivered, at: toRfc3339(tried.nowMilliseconds), remaining };
  const isMarked = isKnown || (await deps.mark(record, marking));
  // Somebody else delivered or dismissed it meanwhile: the next try reads what is left now.
  return { delivery, ending: isMarked ? ending : "given-back" };
}

/** No subscriber is pending, the record has its expiry time if it needs one, and nothing in it needs a person. */
function isFinished({ pending, keptUntil, expiresAt, attention }: PublishedRecord): boolean {
  return pending.length === 0 && expiresAt === keptUntil && attention === undefined;
}

/** There is not enough time left to finish the message, so it is not begun. */
export function leaveForLater(queued: QueuedMessage, deps: ProcessCallback): ProcessResult {
  const { messageId } = queued;
  deps.log({ outcome: "left-for-later", messageId }, countGivenBack(queued, deps.now()));
  return { triedForMilliseconds: 0 };
}
