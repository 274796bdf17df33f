import * as z from "zod";
import { indentJson } from "../../../shared/indent-json.ts";
import { wholeSeconds } from "../../../shared/number-text.ts";
import { shellWord } from "../../../shared/shell-word.ts";
import { type Colours, printable } from "../../../shared/terminal-text.ts";
import type { StoredPayload } from "../../operations/records/read-records.ts";
import { deliveryText } from "../../operations/timeline/open-problems.ts";
import {
  type Delivery,
  findCallback,
  type ReceiptEntry,
} from "../../operations/timeline/receipt-entry.ts";
import { exitCodes, print } from "../frame/command.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { withTarget } from "../frame/target-command.ts";

/** `npx paycast callback ID`: what became of one callback. */
export const callback = ownCommand(
  {
    name: "callback",
    about: [
      "Shows what became of a callback, by its id as the payment service writes it (a GUID with or without dashes), or by the hash of the id that is in the log: when it came, which key version opened it, which fact it states, which event it led to and who got it, and what it said.",
    ],
    examples: [
      "callback 3F2504E0-4F89-11D3-9A0C-0305E82C3301",
      "callback 3f2504e04f8911d39a0c0305e82c3301 --stack Paycast --json",
    ],
  },
  {
    summary: "If different content came under one id, all of it is shown.",
    promises: [
      'What the service said is indented, but not changed: `12.30` stays `12.30`. With `--json` it is `payload`: `{ "text": … }`, or `{ "base64": … }` if it is not text.',
      "A merchant whose wire profile does not sign the id has no ids that can be trusted, so they are not stored: look for the order instead.",
    ],
    input: z.object({ id: z.string().meta({ description: "the id", placeholder: "ID" }) }),
    words: ["id"],
    run: async ({ id }, frame, terminal) => {
      const entries = await withTarget(frame, (target) => findCallback(target, id));
      print(terminal, frame, entries, () => {
        const texts = entries.map((entry) => receiptText(entry, terminal.colours, true));
        const orderNo = entries.find((entry) => entry.orderNo !== undefined)?.orderNo;
        const hint =
          orderNo === undefined ? "" : `\nIts order: npx paycast order ${shellWord(orderNo)}\n`;
        return `${texts.join("\n")}${hint}`;
      });
      return exitCodes.success;
    },
  },
);

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

function headline(entry: ReceiptEntry, { red, yellow }: Colours): string {
  const { outcome, type, flags, isConflict, quarantined } = entry;
  if (quarantined !== undefined) {
    return red(printable(`quarantined  ${quarantined.reason}: ${quarantined.detail}`));
  }
  const marks = isConflict && !flags.includes("conflict") ? ["conflict", ...flags] : flags;
  const noted = marks.length === 0 ? "" : `  ${yellow(marks.join(", "))}`;
  const told = outcome === "published" ? `published${changeText(entry)}` : "known already";
  return `${type ?? ""}  ${told}${noted}`;
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
  return parts.filter((part) => part !== undefined).join("  ") || "answer of the service";
}

function eventLines({ published, factId }: ReceiptEntry, colours: Colours): string[] {
  if (published === undefined) return factId === undefined ? [] : [`fact ${factId}`];
  const { eventId, sequence, deliveries } = published;
  return [`event ${eventId}  sequence ${sequence}`, deliveryLine(deliveries, colours)];
}

function deliveryLine(deliveries: readonly Delivery[], { green, red, dim }: Colours): string {
  if (deliveries.length === 0) return "no subscriber wants it";
  return deliveries
    .map((delivery) => {
      const text = deliveryText(delivery, wholeSeconds);
      const paint = delivery.state === "sent" ? green : delivery.state === "dismissed" ? dim : red;
      return `${delivery.subscriber} ${paint(text)}`;
    })
    .join("  ");
}

/** Indented, but not changed: every digit stays. Line by line, because a line end is a control character too. */
function payloadText(payload: StoredPayload): string {
  if ("base64" in payload) return `Not text, as base64:\n${payload.base64}`;
  const indented = indentJson(payload.text);
  const lines = (indented ?? payload.text).split("\n").map(printable).join("\n");
  return indented === undefined ? `Not JSON:\n${lines}` : lines;
}
