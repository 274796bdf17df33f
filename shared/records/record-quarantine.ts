import { type AttentionSince, aboutOf, attentionAttributes } from "../attention/attention.ts";
import type { Claim } from "../attention/claim.ts";
import { mayPass } from "../errors/aws-fault.ts";
import type { PaycastError } from "../errors/paycast-error.ts";
import { withExactAmounts } from "../facts/exact-fields.ts";
import type { Flag } from "../facts/flags.ts";
import { isResultObject } from "../facts/subject.ts";
import { type InboxMessage, subjectOfMessage } from "../inbox/inbox-message.ts";
import type { Order } from "../orders/order.ts";
import { moveState } from "../orders/order-moves.ts";
import {
  conflictingReceipt,
  type PublishedRecord,
  type QuarantinedRecord,
} from "./callback-record.ts";
import { type Receipt, receivedPart } from "./receipt.ts";
import { type Expiry, keptUntilSeconds } from "./record-expiry.ts";
import type { ReceiptStore } from "./record-receipt.ts";

export interface QuarantineStore extends Omit<ReceiptStore, "loadContext" | "save"> {
  /** The order that the message is about; undefined if it names none. */
  readonly loadOrder: (message: InboxMessage) => Promise<Order | undefined>;
  /** Updates the reason of a message that is still not understood. */
  readonly noteTry: (
    record: QuarantinedRecord,
    why: PaycastError,
    triedAt: string,
  ) => Promise<void>;
  /** Marks the pending deliveries as undeliverable. False if the record has changed since it was read. */
  readonly giveUp: (record: PublishedRecord, remaining: AttentionSince) => Promise<boolean>;
}

/**
 * Stores an authentic message that cannot be understood, with the reason, until an operator fixes the cause. Its order
 * counts as known to the service: if it were created again, it could be paid twice.
 *
 * If a record with the same content exists, it stays. A quarantined one keeps its start and its dismissal. A published
 * one was understood before, for example by a newer version: its pending deliveries become undeliverable, because
 * nothing delivers them after this.
 */
export async function recordQuarantine(
  receipt: Receipt,
  why: PaycastError,
  expiry: Expiry,
  store: QuarantineStore,
): Promise<void> {
  const record = quarantinedRecord(receipt, why, expiry);
  let receiptName = record.receipt;
  await store.retryOnContention(async () => {
    const order = await loadIfReadable(receipt.message, store);
    const heard = order && moveState(order, "heard");
    const changed = heard === undefined || heard === order ? [] : [heard];
    const flags: Flag[] = receiptName === record.receipt ? [] : ["conflict"];
    const commit = await store.commit({ ...record, receipt: receiptName, flags }, changed);
    if (commit.kind === "lost-race") return undefined;
    if (commit.kind === "committed") return true;
    const { record: stored } = commit;
    if (stored.contentHash !== record.contentHash) {
      receiptName = conflictingReceipt(record.contentHash);
      return undefined;
    }
    if (stored.outcome === "published" && stored.pending.length > 0) {
      return (await store.giveUp(stored, undeliverable(stored, why, record))) || undefined;
    }
    if (stored.outcome === "quarantined") await store.noteTry(stored, why, record.triedAt);
    return true;
  });
}

function undeliverable(
  { pending, attention: before, attentionSince }: PublishedRecord,
  { code }: PaycastError,
  { attention, triedAt }: QuarantinedRecord,
): AttentionSince {
  const subscribers = Object.fromEntries(pending.map((name) => [name, code]));
  const since = before?.kind === "undeliverable" ? attentionSince : undefined;
  return {
    attention: { ...attention, kind: "undeliverable", subscribers },
    since: since ?? triedAt,
  };
}

/** An order that cannot be read cannot be created again either, so it needs no mark. */
async function loadIfReadable(
  message: InboxMessage,
  { loadOrder }: QuarantineStore,
): Promise<Order | undefined> {
  try {
    return await loadOrder(message);
  } catch (error) {
    if (mayPass(error)) throw error;
    return undefined;
  }
}

function quarantinedRecord(
  receipt: Receipt,
  { code: reason, message: detail }: PaycastError,
  expiry: Expiry,
): QuarantinedRecord {
  const received = receivedPart(receipt, expiry.now());
  const { recordedAt } = received;
  const about = {
    ...aboutOf(subjectOfMessage(receipt.message)),
    claims: claimIn(receipt.message),
  };
  return {
    ...received,
    outcome: "quarantined",
    reason,
    detail,
    triedAt: recordedAt,
    keptUntil: keptUntilSeconds(receipt.message, expiry),
    flags: [],
    ...attentionAttributes(received, { kind: "quarantined", ...about }, recordedAt),
  };
}

/** Unlike elsewhere these fields are not checked: they are shown as what an unreadable message says of itself. */
function claimIn({ content }: InboxMessage): Claim {
  if (content.kind !== "text") return {};
  const result = withExactAmounts(content.result, content.text);
  const textOf = (...names: string[]) =>
    names.map((name) => claimedText(result, name)).find((text) => text !== undefined);
  const status = textOf("status");
  const amount = textOf("paymentAmount", "payAmount", "refundAmount");
  const currency = textOf("currency");
  return {
    ...(status !== undefined && { status }),
    ...(amount !== undefined && { amount }),
    ...(currency !== undefined && { currency }),
  };
}

/** No status, amount or currency of the interface is longer. */
const longestClaim = 32;

function claimedText(result: unknown, name: string): string | undefined {
  const value = isResultObject(result) ? result[name] : undefined;
  const isShown = typeof value === "string" && value.length <= longestClaim && value.isWellFormed();
  return isShown ? value : undefined;
}
