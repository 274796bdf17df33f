import type { AttentionKind } from "./attention-kinds.ts";

/** What a person reads about a kind of attention. */
export interface KindWords {
  /** Of one item, in a few words. */
  readonly title: string;
  readonly means: string;
  readonly todo: string;
  readonly ends: string;
}

const byDismissal = "When you dismiss it.";
const byOrderEnd =
  "By itself, when the order's end is recorded. If the payment service told you the end, dismiss it.";

/** The one place that says what each kind means. The command and the console show it, and `npm run docs` writes it down. */
export const kindWords: Readonly<Record<AttentionKind, KindWords>> = {
  quarantined: {
    title: "not understood",
    means:
      "An authentic callback cannot be understood, or Paycast's own code fails on it. Its exact bytes are kept.",
    todo: "Fix the cause that its reason names, deploy, then redrive it.",
    ends: "When a redrive succeeds, or when you dismiss it.",
  },
  undeliverable: {
    title: "given up",
    means:
      "The queue of a subscriber refused an event for five minutes, or did not exist for one, and Paycast gave up.",
    todo: "Bring the queue back, then redrive it.",
    ends: "When a redrive succeeds, or when you dismiss it.",
  },
  waiting: {
    title: "waiting",
    means:
      "The queue of a subscriber refuses an event. Paycast tries it again by itself, until five minutes after the callback came, or for one minute if the queue does not exist.",
    todo: "Bring the queue back.",
    ends: "By itself: the event is delivered, or given up.",
  },
  mismatch: {
    title: "amounts differ",
    means:
      "Amount or currency differ from the order that was created, or the refunds do not fit to what was paid.",
    todo: "Hold the goods back. Compare the amounts with the payment service, then refund or correct the difference.",
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
    means: "Two authentic callbacks with different content came under one callback id.",
    todo: "Compare both in the order's timeline, and ask the payment service which one is right.",
    ends: byDismissal,
  },
  refunded: {
    title: "paid and refunded",
    means:
      "No callback came. The payment service was asked, and answered with the status of a refund: the order was paid, and a refund is under way, complete or failed.",
    todo: "Do not ship before you know how the refund ended. Look into why no callback came.",
    ends: byDismissal,
  },
  "claimed-twice": {
    title: "payment of another order",
    means:
      "The payment service returned a payment for this order that belongs to another order already. It stays with that order, and this order has no payment.",
    todo: "Ask the payment service whether it has this order. If not, the shop can create it under another number.",
    ends: byDismissal,
  },
  "shortened-number": {
    title: "shortened number",
    means:
      "The payment service cuts the order's number to 32 characters, so its callbacks name another order. Asking by payment id settles this one.",
    todo: "Set gateway.shortOrderNumbers in the config, so that create-order refuses longer numbers.",
    ends: byDismissal,
  },
  unresolved: {
    title: "unresolved",
    means:
      "For eight or nine days the payment service has not told how the order ended, and it is not asked any more.",
    todo: "Ask the payment service about the order.",
    ends: byOrderEnd,
  },
  "unreadable-answer": {
    title: "answer unreadable",
    means:
      "The payment service answered a question about the order, and the answer cannot be read.",
    todo: "Ask the payment service what happened to the payment. Its answer is not understood by this version.",
    ends: byOrderEnd,
  },
};
