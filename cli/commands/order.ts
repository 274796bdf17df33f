import { stackOption } from "../../operations/target/target.ts";
import { needsOf, triedByItself } from "../../operations/timeline/needs.ts";
import {
  type OrderTimeline,
  readOrderTimeline,
  type TimelineEntry,
} from "../../operations/timeline/order-timeline.ts";
import { isWithin } from "../../shared/characters.ts";
import { shellWord } from "../../shared/shell-word.ts";
import type { OrderView } from "../../shared/storefront/order-view.ts";
import { type Colours, printable } from "../../shared/terminal-text.ts";
import { wholeSeconds } from "../../shared/time/timestamp.ts";
import { pairs } from "../frame/columns.ts";
import { type Command, exitCodes, exitCodesText, UsageError } from "../frame/command.ts";
import { parseArguments } from "../frame/parse-options.ts";
import { receiptText } from "../frame/receipt-text.ts";
import { agoText } from "../frame/report-text.ts";
import { print, targetHelp, targetOptions, withTarget } from "../frame/target-command.ts";

/** §8. */
const longestOrderNo = 64;

const options = {
  ...targetOptions,
  merchant: { type: "string" },
  payload: { type: "boolean" },
} as const;

/** `npx paycast order ORDER_NO`: everything that is stored of an order, in the order of time. */
export const order: Command = {
  help: `Usage: npx paycast order ORDER_NO [--merchant ID] [--payload] [--stack NAME] [--json]

Shows an order as the storefront sees it, and its timeline: each attempt to create it, each callback and each
answer of the payment service with its key version, fact and flags, each event with the subscribers it was sent
to, the refunds of its payments, and what is quarantined of it.

Options
  --merchant ID       the merchant, if several have an order of this number
  --payload           also what the service said, word for word
${targetHelp}

Examples
  npx paycast order ORDER-1001
  npx paycast order ORDER-1001 --stack Paycast --payload
  npx paycast order ORDER-1001 --json | jq '.entries[] | select(.quarantined)'

${exitCodesText}
`,
  run: async (args, terminal) => {
    const { values, words } = parseArguments(args, options, ["ORDER_NO"]);
    const [orderNo = ""] = words;
    if (!isWithin(orderNo, longestOrderNo)) {
      throw new UsageError(`An order number has at most ${longestOrderNo} characters.`);
    }
    const [timeline, stack] = await withTarget(values, async (target) => [
      await readOrderTimeline(target, orderNo, values.merchant),
      stackOption(target),
    ]);
    print(terminal, values, timeline, () =>
      timelineText(timeline, stack, terminal.colours, values.payload === true),
    );
    return exitCodes.success;
  },
};

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
  const needs = needsOf(entries, wholeSeconds);
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
