import { kindWords } from "../../../shared/attention/kind-words.ts";
import type { OrderView } from "../../../shared/storefront/order-view.ts";
import { wholeSeconds } from "../../../shared/text/number-text.ts";
import { type Colours, printable } from "../../../shared/text/terminal-text.ts";
import { optionPart } from "../../operations/described/command-line.ts";
import type { CallbackHistory, LookedUp } from "../../operations/orders/look-up.ts";
import {
  isTriedByItself,
  openProblemsOf,
  triedByItself,
} from "../../operations/timeline/open-problems.ts";
import type {
  NoticeEntry,
  OrderTimeline,
  TimelineEntry,
} from "../../operations/timeline/order-timeline.ts";
import { otherNumberText } from "../../operations/timeline/other-number-text.ts";
import { pairs } from "../frame/columns.ts";
import { agoText } from "../frame/report-text.ts";
import { attemptText, receiptText } from "./receipt-text.ts";

interface TextOptions {
  readonly colours: Colours;
  /** The option that names the stack, for the next command. */
  readonly stack: string;
  /** By the stack's clock. */
  readonly now: number;
  readonly withPayload: boolean;
}

/** What a number leads to: the callback, if it is a callback's, and the order with its timeline. */
export function lookedUpText(answer: LookedUp, options: TextOptions): string {
  const { hit, callback, timeline, receipts = [] } = answer;
  const { colours, withPayload } = options;
  const parts = [
    ...(hit.what === "order number" ? [] : [foundText(answer)]),
    ...(callback === undefined ? [] : [callbackText(callback, colours)]),
    ...(timeline === undefined ? [] : [timelineText(timeline, options)]),
    receipts.map((receipt) => receiptText(receipt, colours, withPayload)).join(""),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

function foundText({ hit, timeline }: LookedUp): string {
  const { what, merchantId, isQuarantined } = hit;
  const orderNo = timeline?.orderNo ?? hit.orderNo;
  const order = orderNo === undefined ? "linked to no order" : `order ${orderNo}`;
  const state = isQuarantined ? ", quarantined" : "";
  return `${printable(`Found as ${what} of merchant ${merchantId}, ${order}${state}.`)}\n`;
}

/** Its record with what it said, and each request that brought it. */
function callbackText({ receipts, attempts, gap }: CallbackHistory, colours: Colours): string {
  return [
    ...receipts.map((receipt) => receiptText(receipt, colours, true)),
    ...attempts.map((attempt) => attemptText(attempt, colours)),
    ...(gap === undefined ? [] : [`${gap}\n`]),
  ].join("");
}

function timelineText(timeline: OrderTimeline, options: TextOptions): string {
  const { stack, colours, withPayload } = options;
  const { order: view, merchantId, orderNo } = timeline;
  const head =
    view === undefined
      ? pairs([
          ["order", orderNo],
          ["merchant", merchantId],
        ])
      : viewText(view, timeline, options);
  const unknown =
    view === undefined ? "No status is known: no callback of it could be understood.\n" : "";
  const entries = timeline.entries.map((entry) => entryText(entry, colours, withPayload)).join("");
  return `${head}${unknown}${needsText(timeline, stack, colours)}\n${entries}`;
}

/** What is not right with the order now, before what has happened. */
export function needsText(
  { entries, orderNo, merchantId }: Pick<OrderTimeline, "entries" | "orderNo" | "merchantId">,
  stack: string,
  { red }: Pick<Colours, "red">,
): string {
  const problems = openProblemsOf(entries, wholeSeconds);
  if (problems.length === 0) return "";
  const lines = problems.map(({ text }) => `${red(printable(text))}\n`).join("");
  const words = `${optionPart("order", orderNo)} ${optionPart("merchant", merchantId)}${stack}`;
  const isTried = problems.some(isTriedByItself);
  const next = [
    ...(problems.some(({ isFinal }) => isFinal)
      ? [`To retry: npx paycast attention redrive ${words}`]
      : isTried
        ? [triedByItself]
        : []),
    ...problems.flatMap(({ deadLettersOf }) =>
      deadLettersOf === undefined
        ? []
        : [`To list them: npx paycast dead-letters list ${deadLettersOf}${stack}`],
    ),
    ...(problems.some(({ isNotice }) => isNotice)
      ? [`When it is settled: npx paycast attention dismiss --kind notice ${words}`]
      : []),
  ];
  return `\n${lines}${next.join("\n")}\n`;
}

function viewText(
  view: OrderView,
  { nextCheckAt, lastQuery, otherNumber }: OrderTimeline,
  { colours: { bold, yellow }, now }: TextOptions,
): string {
  const at =
    view.statusAt === undefined ? "" : `, ${view.statusAt} (${agoText(view.statusAt, now)})`;
  const unknown = view.outcomeUnknown ? yellow("  the outcome of its creation is unknown") : "";
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
    ["last query", lastQuery && lastQueryText(lastQuery)],
    ["other number", otherNumber && `${otherNumber.orderNo} ${otherNumberText(otherNumber)}`],
    ["flags", view.flags.length === 0 ? undefined : yellow(view.flags.join(", "))],
  ]);
}

const resultText = {
  confirmed: "the service confirmed the status",
  "new-status": "the service reported a new status",
  "not-confirmed": "the service has not confirmed the status",
};

function lastQueryText({ claimedUntil, result }: NonNullable<OrderTimeline["lastQuery"]>): string {
  const next = claimedUntil === undefined ? "" : `; the next is not sent before ${claimedUntil}`;
  return `${resultText[result]}${result === "confirmed" ? "" : next}`;
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
        const words = printable(`rejected with ${refusal.code}: ${refusal.msg}`);
        return `${at}  create    ${colours.red(words)}\n`;
      }
      const payment = paymentId === undefined ? "" : `  payment ${paymentId}`;
      return `${at}  create    ${printable(`${creationText[state]}${payment}`)}\n`;
    }
    case "notice":
      return noticeText(entry, colours);
    case "receipt":
      return receiptText(entry, colours, withPayload);
  }
}

function noticeText(entry: NoticeEntry, { red }: Colours): string {
  const { at, notice, state, transactionId, amount } = entry;
  const transaction = transactionId && `transaction ${transactionId}`;
  const stated = [amount, transaction].filter((part) => part !== undefined).join(", ");
  const text = `${kindWords[notice].title}${stated === "" ? "" : ` (${stated})`}`;
  const shown = printable(state === "open" ? text : `${text}, ${state}`);
  return `${at}  notice    ${state === "open" ? red(shown) : shown}\n`;
}

const creationText = {
  sending: "sent to the service, no response yet",
  created: "created",
  incomplete: "created, but the response is incomplete",
  refused: "rejected by the service, or not sent",
  unknown: "sent to the service, outcome unknown",
};
