import type { InboxMessage } from "../../shared/inbox/inbox-message.ts";
import type { CallbackRecord } from "../../shared/records/callback-record.ts";
import { sha256Of } from "../../shared/sha256.ts";
import type { HeldMessage } from "../dead-letters/held-message.ts";

/**
 * Why something needs a person.
 * - `quarantined`: process-callback could not understand it; it is a record.
 * - `undeliverable`: the event was made, but subscribers did not get it.
 * - `unprocessed`: it has no record: SQS gave up after 1000 receives, or it is too large for a record.
 * - `processed`: it was understood meanwhile; only its dead letter is left.
 * - `foreign`: something other than Paycast wrote it to the inbox.
 */
export type ItemKind = "quarantined" | "undeliverable" | "unprocessed" | "processed" | "foreign";

/** One thing that needs a person, whether it is a record, a dead letter or both. */
export interface QuarantinedItem {
  /** Stable; the beginning of it is enough to name it. */
  readonly id: string;
  readonly kind: ItemKind;
  /** When it was put aside. */
  readonly at: string;
  readonly receivedAt: string | undefined;
  readonly reason: string | undefined;
  readonly detail: string | undefined;
  readonly merchantId: string | undefined;
  readonly orderNo: string | undefined;
  readonly paymentId: string | undefined;
  readonly callbackId: string | undefined;
  readonly where: "queue" | "record" | "both";
  /** Subscribers without the event that are configured, and those that are not any more. */
  readonly pending: readonly string[];
  readonly gone: readonly string[];
}

/** The key of a record in the callbacks table. */
export interface RecordKey {
  readonly callbackKey: string;
  readonly receipt: string;
}

/** What is known of one message: as it lies in the queue, as a record, or both. */
export interface Finding {
  readonly id: string;
  readonly letter: HeldMessage | undefined;
  readonly record: CallbackRecord | undefined;
  /** Undefined if the letter is not an inbox message. */
  readonly message: InboxMessage | undefined;
  readonly key: RecordKey | undefined;
}

export function itemId({ callbackKey, receipt }: RecordKey): string {
  return sha256Of("record", callbackKey, receipt).slice(0, idLength);
}

/** From the body: a foreign message that is redriven comes back as a new letter with a new message id. */
export function foreignId(body: string): string {
  return sha256Of("foreign", body).slice(0, idLength);
}

/** 48 bits: among 10,000 items two are alike once in millions of stacks. */
const idLength = 12;
