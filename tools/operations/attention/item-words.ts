import { attentionKinds } from "../../../shared/attention/attention-kinds.ts";
import { type KindWords, kindWords } from "../../../shared/attention/kind-words.ts";
import type { Cell, Facts, Table } from "../described/description.ts";
import type { AttentionItem, ItemKind, ShownItem, ShownNotice, ShownReceipt } from "./item.ts";

/** What a list says about each kind of item. */
export const itemWords: Readonly<Record<ItemKind, KindWords>> = {
  ...kindWords,
  untried: {
    title: "not tried",
    means:
      "The event is recorded, but nothing tries to deliver it: its message is no longer in the inbox.",
    todo: "Redrive it.",
    ends: "When a redrive succeeds.",
  },
  finished: {
    title: "finished",
    means: "Every subscriber has received the event.",
    todo: "Nothing. A redrive of the order restores the fact if the order lacks it.",
    ends: "It is settled.",
  },
  unknown: {
    title: "not readable",
    means:
      "This version cannot read the index entry. Another version wrote it, or something other than Paycast.",
    todo: "Use the command of the deployed version. If that cannot read it either, find out who wrote it.",
    ends: "When you dismiss it.",
  },
};

/** The name of the item in a sentence. */
export function nameOf({ orderNo, paymentId, id }: AttentionItem): string {
  if (orderNo !== undefined) return `order ${orderNo}`;
  return paymentId === undefined ? `item ${id}` : `payment ${paymentId}`;
}

/** The order or payment that it is about. */
export function aboutOf({ orderNo, paymentId }: AttentionItem): Cell {
  if (orderNo !== undefined) return { order: orderNo };
  return paymentId === undefined ? "not known" : { payment: paymentId };
}

/** Who has not received the event and why, or what could not be understood. */
export function detailText({ subscribers, gone, detail }: AttentionItem): string {
  const missing = Object.entries(subscribers)
    .filter(([name]) => !gone.includes(name))
    .map(([name, error]) => `${name} (${error})`);
  const parts = [
    missing.length > 0 ? `Not delivered to ${missing.join(", ")}.` : "",
    gone.length > 0 ? `No longer configured: ${gone.join(", ")}.` : "",
    detail ?? "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** The origin of an item, and its time. */
export function factsOf(shown: ShownItem): Facts {
  const { item } = shown;
  const receipt: Partial<ShownReceipt> = "payload" in shown ? shown : {};
  const { eventName = item.type, keyVersion, traceparent } = receipt;
  return [
    ["about", aboutOf(item)],
    ["payment", item.orderNo && item.paymentId && { payment: item.paymentId }],
    ["merchant", item.merchantId || undefined],
    ["event name", eventName],
    ["since", { time: item.since }],
    ["received", "payload" in shown ? { time: item.receivedAt } : undefined],
    ["callback", item.callbackId && { id: item.callbackId }],
    ["key version", keyVersion && { id: keyVersion }],
    ["trace", traceparent && { id: traceparent }],
    ...("payload" in shown ? [] : noticeFacts(shown)),
    ["id", { id: item.id }],
  ];
}

/** What the fact stated that revealed the notice, beside what is stored of its order. */
function noticeFacts(shown: ShownNotice): Facts {
  const { revealed, expected, status, paid, refunded, otherNumber } = shown;
  return [
    ["revealed by", revealed.type],
    ["its amount", revealed.amount],
    ["its transaction", revealed.transactionId && { id: revealed.transactionId }],
    ["its refund", revealed.refundId && { id: revealed.refundId }],
    ["its callback", revealed.callbackId && { id: revealed.callbackId }],
    [
      otherNumber?.isShort ? "callbacks name" : "full number",
      otherNumber && { order: otherNumber.orderNo },
    ],
    ["order created for", expected],
    ["order's status", status],
    ...paid.map((text, index): Facts[number] => [`payment ${index + 1}`, text]),
    ...refunded.map((text, index): Facts[number] => [`refund ${index + 1}`, text]),
  ];
}

const head = ["id", "since", "kind", "reason", "merchant", "about", "callback", "detail"];

export function itemTable(items: readonly AttentionItem[]): Table {
  return { head, rows: items.map(rowOf) };
}

function rowOf(item: AttentionItem): readonly Cell[] {
  return [
    item.id,
    { time: item.since },
    item.kind,
    item.reason === item.kind ? "-" : item.reason,
    item.merchantId || "-",
    item.orderNo ?? item.paymentId ?? "-",
    item.callbackId ?? "-",
    detailText(item),
  ];
}

/** The kinds of a list, in the order in which they are explained. */
export function kindsOf(items: readonly AttentionItem[]): readonly ItemKind[] {
  const present = new Set(items.map(({ kind }) => kind));
  const all: readonly ItemKind[] = [...attentionKinds, "untried", "finished", "unknown"];
  return all.filter((kind) => present.has(kind));
}

/** What happened, what to do and how it ends: once for each kind of a list. */
export function explainKinds(items: readonly AttentionItem[]): readonly string[] {
  return kindsOf(items).flatMap((kind) => {
    const { title, means, todo, ends } = itemWords[kind];
    return ["", `${kind}: ${title}. ${means}`, `  Do: ${todo}`, `  Ends: ${ends}`];
  });
}
