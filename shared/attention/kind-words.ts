import type { AttentionKind } from "./attention-kinds.ts";

/** What an operator reads about a kind of item in the Attention list. */
export interface KindWords {
  /** A few words, shown with each item. */
  readonly title: string;
  readonly means: string;
  readonly todo: string;
  readonly ends: string;
}

const byDismissal = "When you dismiss it.";
const byOrderEnd =
  "By itself, when the order's end is recorded. If the payment service tells you the end, dismiss it.";

/** The one place that explains each kind: for the command, the console and docs/architecture.md. */
export const kindWords: Readonly<Record<AttentionKind, KindWords>> = {
  quarantined: {
    title: "not understood",
    means:
      "An authentic callback cannot be understood, or Paycast's own code fails on it. Its exact bytes are kept.",
    todo: "Fix the cause that the reason names, deploy, then redrive it.",
    ends: "When a redrive succeeds, or when you dismiss it.",
  },
  undeliverable: {
    title: "not delivered",
    means:
      "A subscriber's queue rejected an event, or did not exist, until Paycast stopped retrying.",
    todo: "Restore the queue, then redrive it.",
    ends: "When a redrive succeeds, when the callback arrives again and its event is delivered, or when you dismiss it.",
  },
  waiting: {
    title: "waiting",
    means:
      "A subscriber's queue rejects an event. Paycast retries for a few minutes, or for one minute if the queue does not exist.",
    todo: "Restore the queue.",
    ends: "By itself: the event is delivered, or Paycast stops retrying.",
  },
  mismatch: {
    title: "amounts differ",
    means:
      "Amount or currency differ from the order that was created, or the refunds do not match what was paid. A refund of an order that is not paid is a mismatch, too.",
    todo: "Do not ship yet. Compare the amounts with the payment service, then refund or correct the difference.",
    ends: byDismissal,
  },
  contradicted: {
    title: "two amounts",
    means:
      "The payment service stated two amounts or currencies for one fact. Paycast applied the one that its interface describes, or the first one.",
    todo: "Do not ship yet. Compare both in the order's timeline, and ask the payment service which one is correct.",
    ends: byDismissal,
  },
  "duplicate-payment": {
    title: "paid twice",
    means: "The order was paid by two transactions.",
    todo: "Refund one of the two at the payment service, and ship once.",
    ends: byDismissal,
  },
  conflict: {
    title: "contents contradict",
    means: "Two authentic callbacks with different content have the same callback id.",
    todo: "Compare both in the order's timeline, and ask the payment service which one is correct.",
    ends: byDismissal,
  },
  refunded: {
    title: "paid and refunded",
    means:
      "The order was paid, and its money goes back or went back. The refund was known before the payment was, or only a query to the payment service returned its status.",
    todo: "Do not ship before you know how the refund ended. If no callback reported it, find out why.",
    ends: byDismissal,
  },
  "claimed-twice": {
    title: "payment of another order",
    means:
      "The payment service returned a payment for this order that already belongs to another order. It stays with that order, and this order has no payment.",
    todo: "Ask the payment service whether it has this order. If not, the shop can create it under another number.",
    ends: byDismissal,
  },
  "shortened-number": {
    title: "shortened number",
    means:
      "The payment service shortened the order's number, so its callbacks name another order. Queries by payment id settle this one.",
    todo: "Set gateway.shortOrderNumbers in the config. create-order then rejects numbers over 32 characters.",
    ends: byDismissal,
  },
  unresolved: {
    title: "unresolved",
    means:
      "For eight or nine days the payment service has not reported how the order ended. Paycast does not check it any more.",
    todo: "Ask the payment service about the order.",
    ends: byOrderEnd,
  },
  "unreadable-answer": {
    title: "response unreadable",
    means:
      "The payment service responded to a query about the order, and the response cannot be read.",
    todo: "Ask the payment service what happened to the payment. This version does not understand its response.",
    ends: byOrderEnd,
  },
};
