import { type KindWords, kindWords } from "../../../shared/attention/kind-words.ts";
import type { Cell, Facts, Table } from "../described/description.ts";
import type { ItemKind, QuarantinedItem, ShownItem } from "./item.ts";

/** What a list says about each kind of item. */
export const itemWords: Readonly<Record<ItemKind, KindWords>> = {
  ...kindWords,
  untried: {
    title: "not tried",
    means:
      "The event was made, and nothing tries to deliver it: its message is not in the inbox any more.",
    todo: "Redrive it.",
    ends: "When a redrive succeeds.",
  },
  finished: {
    title: "finished",
    means: "Everybody has the event.",
    todo: "Nothing. A redrive of the order gives the fact back to an order that lacks it.",
    ends: "It is over.",
  },
};

const reasonWords: Readonly<Record<string, string>> = {
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
  "currency-unknown": "The currency is not known",
  "currency-mismatch": "The currencies differ",
};

/** A reason in words; one that has no words is shown as its code. */
export function reasonText(reason: string): string {
  return reasonWords[reason] ?? reason;
}

/** How a person names the item. */
export function nameOf({ orderNo, paymentId, id }: QuarantinedItem): string {
  if (orderNo !== undefined) return `order ${orderNo}`;
  return paymentId === undefined ? `item ${id}` : `payment ${paymentId}`;
}

/** The order or payment that it is about. */
export function aboutOf({ orderNo, paymentId }: QuarantinedItem): Cell {
  if (orderNo !== undefined) return { order: orderNo };
  return paymentId === undefined ? "not known" : { payment: paymentId };
}

/** Who misses the event and why, or what could not be understood. */
export function detailText({ subscribers, gone, detail }: QuarantinedItem): string {
  const missing = Object.entries(subscribers)
    .filter(([name]) => !gone.includes(name))
    .map(([name, error]) => `${name} (${error})`);
  const parts = [
    missing.length > 0 ? `Missing at ${missing.join(", ")}.` : "",
    gone.length > 0 ? `No longer configured: ${gone.join(", ")}.` : "",
    detail ?? "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** Where an item comes from, and since when. */
export function factsOf({ item, eventName, keyVersion, traceparent }: ShownItem): Facts {
  return [
    ["about", aboutOf(item)],
    ["merchant", item.merchantId],
    ["event name", eventName ?? item.type],
    ["since", { time: item.since }],
    ["received", { time: item.receivedAt }],
    ["callback", item.callbackId && { id: item.callbackId }],
    ["key version", keyVersion && { id: keyVersion }],
    ["trace", { id: traceparent }],
    ["id", { id: item.id }],
  ];
}

const head = ["id", "since", "state", "reason", "merchant", "about", "callback", "detail"];

export function itemTable(items: readonly QuarantinedItem[]): Table {
  return { head, rows: items.map(rowOf) };
}

function rowOf(item: QuarantinedItem): readonly Cell[] {
  return [
    item.id,
    { time: item.since },
    itemWords[item.kind].title,
    item.reason,
    item.merchantId,
    item.orderNo ?? item.paymentId ?? "-",
    item.callbackId ?? "-",
    detailText(item),
  ];
}
