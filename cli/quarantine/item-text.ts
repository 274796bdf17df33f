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
export function detailText({ kind, detail, pending, gone, where }: QuarantinedItem): string {
  if (kind === "processed") return "Processed meanwhile; a redrive removes the dead letter.";
  if (kind === "unprocessed" && detail === undefined) return "SQS gave up after 1000 receives.";
  if (kind !== "undeliverable") return detail ?? "-";
  const missing = pending.length > 0 ? `Not delivered to ${pending.join(", ")}.` : "";
  const todo = where === "record" ? "nothing can be sent to it" : "discard the dead letter";
  const removed = gone.length > 0 ? `No longer configured: ${gone.join(", ")}; ${todo}.` : "";
  return [missing, removed].filter((text) => text !== "").join(" ");
}

interface Hidden {
  readonly hiddenLetters: number;
  readonly atLimit: boolean;
}

/** Dead letters that were not seen. */
export function hiddenText({ hiddenLetters, atLimit }: Hidden): string {
  if (hiddenLetters === 0) return "";
  if (atLimit) {
    return `About ${hiddenLetters} more in the dead letters were not looked at: the command stopped at its own limit of 10,000 letters or four minutes.\n`;
  }
  return `About ${hiddenLetters} more in the dead letters are not shown by SQS: they wait behind another message of the same order, or somebody else holds them.\n`;
}
