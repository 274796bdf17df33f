import type { Flag } from "./flags.ts";

interface FlagWords {
  /** For operators, shops and teams that read events. */
  readonly means: string;
  /** What a program that reads events must do. */
  readonly todo: string;
}

const nothing = "Nothing.";
const stopAndAsk = "Do not ship; ask a person.";

/** What each flag means. The console shows it, and `npm run docs` writes it into the documents. */
export const flagWords: Readonly<Record<Flag, FlagWords>> = {
  late: {
    means: "The payment arrived after the order had timed out or failed.",
    todo: "Ship if you still can.",
  },
  regressed: {
    means: "The order already had this status or a later one, so its status did not change.",
    todo: "Nothing. The snapshot has the status.",
  },
  duplicatePayment: {
    means: "The order was paid a second time. One of the payments must be refunded.",
    todo: "Do not ship again.",
  },
  mismatch: {
    means:
      "The amount or currency differs from the created order, more was refunded than paid, or an order that is not paid has a refund.",
    todo: stopAndAsk,
  },
  contradicted: {
    means:
      "The payment service stated two amounts or currencies: in one callback, or when it reported the same fact again.",
    todo: stopAndAsk,
  },
  refunded: {
    means:
      "The order was paid, and its money goes back or went back: a refund was known before the success, or a query returned its status.",
    todo: `${stopAndAsk} \`GET /orders/{orderNo}\` shows the \`refundStatus\`. The refund has its own event when its callback arrives.`,
  },
  conflict: {
    means: "The payment service sent two different contents under one callback id.",
    todo: "Nothing. An operator investigates it.",
  },
  unknownOrder: {
    means: "The order or the payment was not created through this stack.",
    todo: `${stopAndAsk} If you also create orders elsewhere, compare it with those.`,
  },
  otherAttempt: {
    means:
      "The order was sent twice after a lost response, and this fact is about the attempt that the order does not follow. If the payment service rejects the later attempt, the order takes over this status without another event.",
    todo: "Nothing. The snapshot has the status. If the order takes over this one later, `GET /orders/{orderNo}` and its next event show it.",
  },
  refusedOrder: {
    means: "The payment service rejected the creation of the order, but now reports on it.",
    todo: stopAndAsk,
  },
  unresolved: {
    means:
      "For eight or nine days the payment service has not reported or confirmed how the order ended. Only an order has this flag, until its end is known.",
    todo: "Ask a person.",
  },
  shortenedNumber: {
    means:
      "The payment service knows only the beginning of the order's number, so its callbacks name another order. Only an order has this flag. A query by payment id settles the order.",
    todo: "Nothing. The order's own events are correct. An event for the shortened number has `unknownOrder`.",
  },
  unreadableTime: { means: "A time could not be read and is missing.", todo: nothing },
  unreadableReason: {
    means: "The payment service's message could not be read and is missing.",
    todo: nothing,
  },
  unreadableAmount: {
    means: "The amount could not be read and is missing. No money moved.",
    todo: nothing,
  },
};
