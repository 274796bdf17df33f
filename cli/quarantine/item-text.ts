import type { QuarantinedItem } from "../../operations/quarantine/quarantined-item.ts";
import { columns } from "../frame/columns.ts";
import type { Terminal } from "../frame/command.ts";
import { timeText } from "../frame/time-text.ts";

const head = ["id", "since", "state", "reason", "merchant", "about", "callback", "in", "detail"];

export function itemsText(items: readonly QuarantinedItem[], { colours }: Terminal): string {
  const now = Date.now();
  const rows = items.map((item) => [
    item.id,
    timeText(item.at, now),
    item.kind,
    item.reason ?? "-",
    item.merchantId ?? "-",
    aboutText(item),
    item.callbackId ?? "-",
    item.where,
    detailText(item),
  ]);
  return columns(head.map(colours.bold), rows);
}

export function aboutText({ orderNo, paymentId }: QuarantinedItem): string {
  if (orderNo !== undefined) return `order ${orderNo}`;
  return paymentId === undefined ? "-" : `payment ${paymentId}`;
}

/** What the state means for the operator, where the stored detail does not say it. */
export function detailText({ kind, detail, pending, gone }: QuarantinedItem): string {
  if (kind === "processed") return "Processed meanwhile; a redrive removes the dead letter.";
  if (kind === "unprocessed" && detail === undefined) return "SQS gave up after 1000 receives.";
  if (kind !== "undeliverable") return detail ?? "-";
  const missing = pending.length > 0 ? `Not delivered to ${pending.join(", ")}.` : "";
  const removed =
    gone.length > 0 ? `No longer configured: ${gone.join(", ")}; discard the dead letter.` : "";
  return [missing, removed].filter((text) => text !== "").join(" ");
}

/** Dead letters that SQS does not show. */
export function hiddenText(hiddenLetters: number): string {
  if (hiddenLetters === 0) return "";
  return `About ${hiddenLetters} more in the dead letters are not shown by SQS: they wait behind another message of the same order, or somebody else holds them.\n`;
}
