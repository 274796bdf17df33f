import { indentJson } from "../../../shared/json/indent-json.ts";
import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { type Colours, printable } from "../../../shared/text/terminal-text.ts";
import { reasonText, reasonWords } from "../../operations/reason-words.ts";
import type { StoredPayload } from "../../operations/records/read-records.ts";
import type { CallbackAttempt } from "../../operations/timeline/callback-attempts.ts";
import { deliveryText } from "../../operations/timeline/open-problems.ts";
import type { Delivery, ReceiptEntry } from "../../operations/timeline/receipt-entry.ts";

/** A receipt in one line, and what belongs to it in the lines below. */
export function receiptText(entry: ReceiptEntry, colours: Colours, withPayload: boolean): string {
  const { dim } = colours;
  const details = [
    identityLine(entry),
    ...eventLines(entry, colours),
    ...(withPayload ? payloadText(entry.payload).split("\n") : []),
  ];
  const head = `${entry.at}  ${entry.origin.padEnd(8)}  ${headline(entry, colours)}`;
  return [head, ...details.map((line) => `  ${dim(printable(line))}`)]
    .map((line) => `${line}\n`)
    .join("");
}

/** A request with a callback, and its response. */
export function attemptText(attempt: CallbackAttempt, { red }: Colours): string {
  const { at, outcome, httpStatus, reason, detail, keyStage, durationMilliseconds } = attempt;
  const answer = httpStatus === undefined ? "no response" : `returned ${httpStatus}`;
  const words = reason && reasonWords(reason);
  const why = [words, reason && `(${reason})`, detail]
    .filter((part) => part !== undefined)
    .join(" ");
  const parts = [
    `${answer} in ${durationMilliseconds} ms`,
    outcome,
    why,
    keyStage === undefined ? "" : `verified by the ${keyStage} keys`,
  ];
  const text = printable(parts.filter((part) => part !== "").join("  "));
  const isRefused = httpStatus === undefined || httpStatus >= 400;
  return `${at}  attempt   ${isRefused ? red(text) : text}\n`;
}

function headline(entry: ReceiptEntry, { red, yellow }: Colours): string {
  const { outcome, type, flags, isConflict, quarantined } = entry;
  if (quarantined !== undefined) {
    return red(printable(quarantinedText(quarantined)));
  }
  const marks = isConflict && !flags.includes("conflict") ? ["conflict", ...flags] : flags;
  const noted = marks.length === 0 ? "" : `  ${yellow(marks.join(", "))}`;
  const outcomeText = outcome === "published" ? `published${changeText(entry)}` : "already known";
  return `${type ?? ""}  ${outcomeText}${noted}`;
}

function quarantinedText({ reason, detail }: NonNullable<ReceiptEntry["quarantined"]>): string {
  return `quarantined  ${reasonText(reason)} (${reason}): ${detail}`;
}

function changeText({ statusBefore, statusAfter }: ReceiptEntry): string {
  if (statusAfter === undefined) return "";
  return statusBefore === undefined || statusBefore === statusAfter
    ? `  ${statusAfter}`
    : `  ${statusBefore} → ${statusAfter}`;
}

function identityLine({ callbackId, keyVersion, about, paymentId }: ReceiptEntry): string {
  const parts = [
    callbackId === undefined ? undefined : `callback ${callbackId}`,
    keyVersion === undefined ? undefined : `key version ${keyVersion}`,
    about === "payment" ? `payment ${paymentId}` : undefined,
  ];
  return parts.filter((part) => part !== undefined).join("  ") || "response of the service";
}

function eventLines({ published, factId }: ReceiptEntry, colours: Colours): string[] {
  if (published === undefined) return factId === undefined ? [] : [`fact ${factId}`];
  const { eventId, sequence, deliveries } = published;
  return [`event ${eventId}  sequence ${sequence}`, deliveryLine(deliveries, colours)];
}

/** "books, stock delivered 2026-11-15T08:25:20Z": subscribers with the same state are grouped. */
function deliveryLine(deliveries: readonly Delivery[], colours: Colours): string {
  if (deliveries.length === 0) return "no subscriber selects it";
  const names = new Map<string, string[]>();
  for (const delivery of deliveries) {
    const text = paintOf(delivery, colours)(deliveryText(delivery, wholeSeconds));
    names.set(text, [...(names.get(text) ?? []), delivery.subscriber]);
  }
  return [...names].map(([text, subscribers]) => `${subscribers.join(", ")} ${text}`).join("  ");
}

function paintOf({ state, late, deadLetters }: Delivery, { green, yellow, red, dim }: Colours) {
  if (state === "dismissed") return dim;
  if (state !== "sent") return red;
  return late === undefined && deadLetters === undefined ? green : yellow;
}

/** Indented, but not changed: every digit stays. Line by line, because a line end is a control character too. */
function payloadText(payload: StoredPayload): string {
  if ("base64" in payload) return `Not text, as base64:\n${payload.base64}`;
  const indented = indentJson(payload.text);
  const lines = (indented ?? payload.text).split("\n").map(printable).join("\n");
  return indented === undefined ? `Not JSON:\n${lines}` : lines;
}
