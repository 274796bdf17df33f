import type { ItemKind, QuarantinedItem } from "../../../operations/quarantine/quarantined-item.ts";
import type { Tone } from "../parts/small.tsx";

/** What each kind means for a person, and what to do. */
export const kinds: Readonly<Record<ItemKind, { title: string; tone: Tone; todo: string }>> = {
  quarantined: {
    title: "not understood",
    tone: "bad",
    todo: "The callback is authentic, but Paycast does not understand it or fails on it. Fix the cause, deploy, then redrive it. Its record is kept until then.",
  },
  undeliverable: {
    title: "not delivered",
    tone: "bad",
    todo: "The event was made, but not every subscriber's queue took it. Make the queue available again, then redrive.",
  },
  unprocessed: {
    title: "not processed",
    tone: "bad",
    todo: "There is no record of it, only the dead letter, and SQS deletes that after 14 days. Fix the cause and redrive it soon.",
  },
  processed: {
    title: "processed meanwhile",
    tone: "good",
    todo: "Only the dead letter is left. A redrive publishes nothing twice and removes it.",
  },
  foreign: {
    title: "not ours",
    tone: "open",
    todo: "Something other than Paycast wrote it to the inbox. Find out who, then discard it: it can never be processed.",
  },
};

const reasons: Readonly<Record<string, string>> = {
  "plaintext-not-utf-8": "The body is not UTF-8",
  "body-not-decrypted": "The body cannot be decrypted",
  "result-unreadable": "The result cannot be read",
  "number-inexact": "A number cannot be read exactly",
  "event-unknown": "The event name is not known",
  "event-differs": "Event name and status contradict each other",
  "merchant-differs": "It names another merchant, or none",
  "event-too-large": "The event is too large for SQS",
  "item-too-large": "The record is too large for DynamoDB",
  "subscriber-unreachable": "A subscriber's queue did not accept it",
  "processing-failed": "Paycast's own code failed on it",
  "inbox-message-unreadable": "Paycast did not write it",
  "currency-unknown": "The currency is not known",
  "currency-mismatch": "The currencies differ",
};

/** A reason in words; one that has no words is shown as its code. */
export function reasonText({ reason, kind }: Pick<QuarantinedItem, "reason" | "kind">): string {
  if (reason !== undefined) return reasons[reason] ?? reason;
  if (kind === "unprocessed") return "SQS gave up after 1000 receives";
  return kind === "foreign" ? "Paycast did not write it" : "The reason is not known";
}

export function reasonTitle(reason: string): string {
  return reasons[reason] ?? reason;
}

/** Who misses the event. */
export function missingText({ pending, gone }: QuarantinedItem): string | undefined {
  const missing = pending.length > 0 ? `Missing at ${pending.join(", ")}.` : "";
  const removed = gone.length > 0 ? `No longer configured: ${gone.join(", ")}.` : "";
  return [missing, removed].filter((text) => text !== "").join(" ") || undefined;
}

export const places: Readonly<Record<QuarantinedItem["where"], string>> = {
  queue: "dead letter only",
  record: "record",
  both: "record and dead letter",
};

/** How a person names the item, also for a screen reader. */
export function nameOf({ orderNo, paymentId, id }: QuarantinedItem): string {
  if (orderNo !== undefined) return `order ${orderNo}`;
  return paymentId === undefined ? `item ${id}` : `payment ${paymentId}`;
}
