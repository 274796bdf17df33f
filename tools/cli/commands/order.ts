import * as z from "zod";
import { isWithin } from "../../../shared/characters.ts";
import { wholeSeconds } from "../../../shared/number-text.ts";
import { shellWord } from "../../../shared/shell-word.ts";
import type { OrderView } from "../../../shared/storefront/order-view.ts";
import { type Colours, printable } from "../../../shared/terminal-text.ts";
import { flag, text } from "../../operations/described/fields.ts";
import { stackOption } from "../../operations/target/target.ts";
import { openProblemsOf, triedByItself } from "../../operations/timeline/open-problems.ts";
import {
  type OrderTimeline,
  readOrderTimeline,
  type TimelineEntry,
} from "../../operations/timeline/order-timeline.ts";
import { pairs } from "../frame/columns.ts";
import { exitCodes, print, UsageError } from "../frame/command.ts";
import { ownCommand } from "../frame/read-arguments.ts";
import { agoText } from "../frame/report-text.ts";
import { withTarget } from "../frame/target-command.ts";
import { receiptText } from "./callback.ts";

/** §8. */
const longestOrderNo = 64;

/** `npx paycast order ORDER_NO`: everything that is stored of an order, in the order of time. */
export const order = ownCommand(
  {
    name: "order",
    about: [
      "Shows an order as the storefront sees it, and its timeline: each attempt to create it, each callback and each answer of the payment service with its key version, fact and flags, each event with the subscribers it was sent to, the refunds of its payments, and what is quarantined of it.",
    ],
    examples: [
      "order ORDER-1001",
      "order ORDER-1001 --stack Paycast --payload",
      "order ORDER-1001 --json | jq '.entries[] | select(.quarantined)'",
    ],
  },
  {
    summary: "It is the first thing to look at when somebody asks about an order.",
    promises: [
      "`delivered` means that SQS has accepted the event for that subscriber; `waiting since …, because …` that its queue refuses it, `given up at …` that Paycast does not try it any more, and `dismissed` that a person decided so.",
      "What it does not show: callbacks whose record has expired (`callbacks.recordExpiryDays`), callbacks that were refused, and quarantined callbacks that name no order; the latter are in `quarantine list`.",
    ],
    input: z.object({
      orderNo: z.string().meta({ description: "the order's number", placeholder: "ORDER_NO" }),
      merchant: text("the merchant, if several have an order of this number", "ID"),
      payload: flag("also what the service said, word for word"),
    }),
    words: ["orderNo"],
    run: async ({ orderNo, merchant, payload }, frame, terminal) => {
      if (!isWithin(orderNo, longestOrderNo)) {
        throw new UsageError(`An order number has at most ${longestOrderNo} characters.`);
      }
      const [timeline, stack] = await withTarget(frame, async (target) => [
        await readOrderTimeline(target, orderNo, merchant),
        stackOption(target),
      ]);
      print(terminal, frame, timeline, () =>
        timelineText(timeline, stack, terminal.colours, payload),
      );
      return exitCodes.success;
    },
  },
);

function timelineText(
  timeline: OrderTimeline,
  stack: string,
  colours: Colours,
  withPayload: boolean,
): string {
  const { order: view, merchantId, orderNo } = timeline;
  const head =
    view === undefined
      ? pairs([
          ["order", orderNo],
          ["merchant", merchantId],
        ])
      : viewText(view, timeline, colours);
  const unknown =
    view === undefined ? "No status is known: nothing of it could be understood.\n" : "";
  const entries = timeline.entries.map((entry) => entryText(entry, colours, withPayload)).join("");
  return `${head}${unknown}${needsText(timeline, stack, colours)}\n${entries}`;
}

/** What is not right with the order now, before what has happened. */
export function needsText(
  { entries, orderNo, merchantId }: Pick<OrderTimeline, "entries" | "orderNo" | "merchantId">,
  stack: string,
  { red }: Pick<Colours, "red">,
): string {
  const needs = openProblemsOf(entries, wholeSeconds);
  if (needs.length === 0) return "";
  const lines = needs.map(({ text }) => `${red(printable(text))}\n`).join("");
  const words = `--order ${shellWord(orderNo)} --merchant ${shellWord(merchantId)}${stack}`;
  const next = needs.some(({ isFinal }) => isFinal)
    ? `To try again: npx paycast quarantine redrive ${words}`
    : triedByItself;
  return `\n${lines}${next}\n`;
}

function viewText(
  view: OrderView,
  { nextCheckAt, question }: OrderTimeline,
  { bold, yellow }: Colours,
): string {
  const at =
    view.statusAt === undefined ? "" : `, ${view.statusAt} (${agoText(view.statusAt, Date.now())})`;
  const unknown = view.outcomeUnknown ? yellow("  its creation has an unknown outcome") : "";
  return pairs([
    ["order", view.orderNo],
    ["merchant", view.merchantId],
    ["status", `${bold(view.status)}  by ${view.statusOrigin}${at}${unknown}`],
    ["amount", view.amount && amountText(view.amount)],
    ["paid", view.paidAmount && amountText(view.paidAmount)],
    ["refunded", view.refunds.length === 0 ? undefined : refundText(view)],
    ["transaction", view.transactionId],
    ["reason", view.reason],
    ["payments", view.payments.map(({ paymentId }) => paymentId).join(", ") || undefined],
    ["expires", view.expiresAt],
    ["next check", nextCheckAt],
    ["last question", question && questionText(question)],
    ["flags", view.flags.length === 0 ? undefined : yellow(view.flags.join(", "))],
  ]);
}

function questionText({ claimedUntil, answered }: NonNullable<OrderTimeline["question"]>): string {
  if (answered) return "the service confirmed the status";
  const next = claimedUntil === undefined ? "" : `; no other is sent before ${claimedUntil}`;
  return `not answered, or its answer is news${next}`;
}

function refundText({ refunds, refundedAmount }: OrderView): string {
  const count = refunds.length === 1 ? "1 refund" : `${refunds.length} refunds`;
  return refundedAmount === undefined ? count : `${amountText(refundedAmount)}, ${count}`;
}

function amountText({ value, currency }: { value: string; currency: string }): string {
  return `${value} ${currency}`;
}

function entryText(entry: TimelineEntry, colours: Colours, withPayload: boolean): string {
  switch (entry.kind) {
    case "attempt": {
      const { at, state, paymentId, refusal } = entry;
      if (refusal !== undefined) {
        const words = printable(`refused with ${refusal.code}: ${refusal.msg}`);
        return `${at}  create    ${colours.red(words)}\n`;
      }
      const payment = paymentId === undefined ? "" : `  payment ${paymentId}`;
      return `${at}  create    ${printable(`${attemptText[state]}${payment}`)}\n`;
    }
    case "receipt":
      return receiptText(entry, colours, withPayload);
  }
}

const attemptText = {
  sending: "sent to the service, no answer yet",
  created: "created",
  refused: "refused by the service, or not sent",
  unknown: "sent to the service, outcome unknown",
};
