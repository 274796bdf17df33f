import type { Move } from "./order-moves.ts";
import type { StateKind } from "./order-state.ts";
import type { QuestionMove } from "./question.ts";
import type { QuestionKind } from "./question-state.ts";

/** The one place that explains each state and move: for docs/architecture.md. */
export const stateWords: Readonly<Record<StateKind, string>> = {
  new: "nothing is stored",
  heard:
    "only a callback that cannot be understood is known; it shows that the service has the order",
  foreign: "the order was created elsewhere",
  sending: "an attempt is at the service; it stores until when",
  unsent: "nothing could be sent, so the number is free",
  refused: "the service refused the order and has not reported on it, so the number is free",
  "outcome-unknown": "a response was lost, and the service has not reported on the order",
  reported: "the service has reported on the order, but no payment of it is known here",
  open: "its payment has not ended",
  incomplete:
    "its payment has not ended, and the service's response lacked what the consumer needs to pay",
  ended: "it ended unpaid; the time of the last check is stored",
  confirmed: "the last check confirmed that it ended unpaid",
  unresolved: "the service did not tell or confirm the end, and is not queried any more",
  paid: "money was received",
};

export const moveWords: Readonly<Record<Move, string>> = {
  heard: "a callback that cannot be understood is quarantined",
  told: "a fact that does not end the order",
  ended: "a timeout or failure that ends the order",
  paid: "a success that ends the order",
  begun: "an attempt to create the order begins",
  refused: "the service refused the order, and no other attempt can have created it",
  unsent: "nothing was sent, and no other attempt can have created it",
  lost: "an attempt ended, and the outcome of one is unknown",
  "payment-open": "an attempt brought a payment, and the order has not ended",
  "payment-incomplete":
    "an attempt brought a payment in an incomplete response, and the order has not ended",
  "payment-ended": "an attempt brought a payment, and the order has ended unpaid",
  "payment-paid": "an attempt brought a payment, and the order is paid",
  doubted: "a fact about another attempt, or a response, contradicts the end",
  confirmed: "the last check confirms the end",
  "given-up": "the checks are over",
};

export const questionWords: Readonly<Record<QuestionKind, string>> = {
  none: "nobody has queried the service",
  asking: "a caller queries it; who and until when is stored",
  awaiting: "its response is news and is still in the inbox; the id of the fact is stored",
  answered: "it responded; when, and whether that confirmed the status, is stored",
};

export const questionMoveWords: Readonly<Record<QuestionMove, string>> = {
  asked: "a caller takes the claim, when nobody else has it",
  answered: "the service responded without news",
  news: "the response was sent to the inbox",
  recorded: "the fact that is awaited was recorded",
};
