import type { Delivery } from "../delivery/delivery.ts";
import { failureOf } from "../errors/failures.ts";
import { outOfTime } from "../errors/out-of-time.ts";
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
  type DeliveryTry,
  type Ending,
  endOf,
  isNoted,
  remainingAttention,
  triedForMilliseconds,
} from "./end-delivery.ts";
import {
  type IgnoredRedrive,
  type OpenedMessage,
  type OpenMessage,
  openMessage,
} from "./open-message.ts";
import type { ProcessResult, QueuedMessage } from "./process-batch.ts";
import { countReturned, describeProcessing, identify } from "./processing-line.ts";
import { rejectMessage, type SetAside, setAside } from "./set-aside.ts";

export interface ProcessCallback extends OpenMessage, SetAside {
  /** Writes the record and the aggregate in one transaction. Returns the stored record if there is one already. */
  readonly record: (receipt: Receipt, fact: Fact) => Promise<RecordedReceipt>;
  /** For a record that a redrive names: applies its fact if the aggregate lacks it. */
  readonly revise: (
    record: PublishedRecord | KnownFactRecord,
    receipt: Receipt,
    fact: Fact,
  ) => Promise<RecordedReceipt>;
  readonly deliver: (record: PublishedRecord) => Promise<Delivery>;
  /** False if the record has changed since it was read. */
  readonly mark: (record: PublishedRecord, marking: Marking) => Promise<boolean>;
  /** Whether a subscriber's queue has failed for so long that each event gets a single attempt. */
  readonly isHopeless: (subscriber: string) => boolean;
}

/**
 * Takes one message from the inbox to the subscribers: checks its stamp, reads the fact, records it, delivers the event.
 * A message that is delivered a second time finds its record, so it resumes a delivery or ends as a duplicate.
 */
export async function processCallback(
  queued: QueuedMessage,
  deps: ProcessCallback,
): Promise<ProcessResult> {
  const startedAt = deps.now();
  let receipt: Receipt | undefined;
  try {
    const opened = await openMessage(queued, deps);
    if (opened.kind === "rejected") return await rejectMessage(queued, opened.why, deps);
    if (opened.kind === "ignored") return ignoreRedrive(queued, opened.reason, deps);
    receipt = receiptOf(queued, opened);
    const { message } = receipt;
    const fact = readFact(message);
    if (fact === undefined) return ignoreWithoutFact(queued, message, deps);
    const recorded = await recordOpened(opened, receipt, fact, deps);
    const { record } = recorded;
    const subject = subjectOfMessage(message);
    const { delivery, ending } = await deliver(queued, record, { fact, subject }, deps);
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

function ignoreRedrive(
  { messageId }: QueuedMessage,
  reason: IgnoredRedrive,
  deps: ProcessCallback,
): ProcessResult {
  deps.log({ outcome: "redrive-ignored", stage: "table", reason, messageId });
  return "done";
}

type Genuine = Extract<OpenedMessage, { kind: "genuine" | "redrive" }>;

/** A redrive processes the message that its record stores. Throws `inbox-message-unreadable`. */
function receiptOf({ group }: QueuedMessage, opened: Genuine): Receipt {
  const body = opened.kind === "genuine" ? opened.text : opened.record.message;
  return { message: readInboxMessage(body), body, group };
}

/** The response to a query may state nothing new about a payment. */
function ignoreWithoutFact(
  { messageId }: QueuedMessage,
  message: InboxMessage,
  deps: ProcessCallback,
): ProcessResult {
  deps.log({ outcome: "no-fact", messageId, ...identify(message) }, { NoFact: 1 });
  return "done";
}

/** A redriven message that is still in quarantine is recorded like a new one. Any other record is not written again. */
async function recordOpened(
  opened: Genuine,
  receipt: Receipt,
  fact: Fact,
  deps: ProcessCallback,
): Promise<RecordedReceipt> {
  if (opened.kind === "genuine") return await deps.record(receipt, fact);
  if (opened.record.outcome === "quarantined") {
    // A person decides when to redrive, so that says nothing about when the callback arrived.
    return { ...(await deps.record(receipt, fact)), end: undefined };
  }
  return await deps.revise(opened.record, receipt, fact);
}

interface Delivered {
  readonly delivery: Delivery;
  readonly ending: Ending;
}

const nothingToSend: Delivered = {
  delivery: { delivered: [], failures: [] },
  ending: "delivered",
};

/** Sends the event to the pending subscribers, then updates the record: who has the event, and who does not and why. */
async function deliver(
  queued: QueuedMessage,
  record: CallbackRecord,
  { fact, subject }: { readonly fact: Fact; readonly subject: Subject | undefined },
  deps: ProcessCallback,
): Promise<Delivered> {
  if (record.outcome !== "published" || isFinished(record)) return nothingToSend;
  const delivery = await deps.deliver(record);
  const { delivered, failures } = delivery;
  const tried: DeliveryTry = { queued, record, failures, nowMilliseconds: deps.now() };
  const ending = endOf(tried, deps.isHopeless);
  const remaining = remainingAttention(tried, ending, subject, fact);
  const isKnown = delivered.length === 0 && remaining !== undefined && isNoted(record, remaining);
  const marking = { delivered, at: toRfc3339(tried.nowMilliseconds), remaining };
  const isMarked = isKnown || (await deps.mark(record, marking));
  // Not marked: another instance delivered the event or an operator dismissed it. The next attempt reads the record again.
  return { delivery, ending: isMarked ? ending : "given-back" };
}

/** No subscriber is pending, nothing needs attention, and the record expires when it should. */
function isFinished({ pending, keptUntil, expiresAt, attention }: PublishedRecord): boolean {
  return pending.length === 0 && expiresAt === keptUntil && attention === undefined;
}

/** Returns a message without starting it, because the function has too little time to finish it. */
export function postpone(
  queued: QueuedMessage,
  deps: Pick<ProcessCallback, "now" | "log">,
): ProcessResult {
  const { messageId } = queued;
  const fields = { outcome: "left-for-later", ...failureOf(outOfTime()), messageId } as const;
  deps.log(fields, countReturned(queued, deps.now()));
  return { triedForMilliseconds: 0 };
}
