import type { Flag } from "./flags.ts";

interface FlagWords {
  /** For everybody: operators, shops and the teams that read events. */
  readonly means: string;
  /** What a program that reads events does about it. */
  readonly todo: string;
}

const nothing = "Nothing.";
const stopAndAsk = "Do not ship; ask a person.";

/** The one place that says what a flag means. The console shows it, and `npm run docs` writes it into the documents. */
export const flagWords: Readonly<Record<Flag, FlagWords>> = {
  late: {
    means: "Money came in after the order had timed out or failed.",
    todo: "Ship, if you still can.",
  },
  regressed: {
    means: "The status was the same already, or a later one, so it did not change.",
    todo: "Nothing: the snapshot has the status.",
  },
  duplicatePayment: {
    means: "The order was paid a second time. Somebody must refund one of the payments.",
    todo: "Do not ship again.",
  },
  mismatch: {
    means:
      "Amount or currency differ from the order that was created, or more was refunded than was paid.",
    todo: stopAndAsk,
  },
  refunded: {
    means:
      "The payment service was asked and answered with the status of a refund: the order was paid, and a refund of it is under way, complete or failed.",
    todo: `${stopAndAsk} \`GET /orders/{orderNo}\` shows the \`refundStatus\`. The refund itself is an event when its callback arrives.`,
  },
  conflict: {
    means: "The payment service sent two different contents under one callback id.",
    todo: "Nothing: an operator looks into it.",
  },
  unknownOrder: {
    means: "The order or the payment was not created through this stack.",
    todo: `${stopAndAsk} If you also create orders elsewhere, your program can look there whether this one exists and costs so much.`,
  },
  otherAttempt: {
    means:
      "The order was sent twice after a lost answer, and this is about the attempt that the order does not follow. If the service refuses the later attempt after all, the order takes this status over, without an event of its own.",
    todo: "Nothing: the snapshot has the status. If the order takes this one over later, `GET /orders/{orderNo}` and its next event show it.",
  },
  refusedOrder: {
    means: "The payment service refused to create the order, but now reports on it.",
    todo: stopAndAsk,
  },
  unresolved: {
    means:
      "For more than eight days nobody could find out how the order ended. Only an order has this flag, until its end is known.",
    todo: "Ask a person.",
  },
  shortenedNumber: {
    means:
      "The payment service knows only the beginning of the order's number, so its callbacks name another order. Only an order has this flag. Asking the service by the payment id settles the order.",
    todo: "Nothing: the order's own events are right. An event for the shortened number has `unknownOrder`.",
  },
  unreadableTime: { means: "A time could not be read and is left out.", todo: nothing },
  unreadableReason: {
    means: "The payment service's message could not be read and is left out.",
    todo: nothing,
  },
  unreadableAmount: {
    means: "No money moved, and the amount could not be read and is left out.",
    todo: nothing,
  },
};
