import type { Reply } from "../asking/ask-payment.ts";
import { isOpen } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";
import { noteAnswer } from "../orders/question.ts";

/** The result of one query. `failed`: there was no response, or the inbox did not accept it. */
export type Result = Reply | { readonly kind: "failed"; readonly error: unknown };

/**
 * What a result means for the check of an order.
 *
 * - `ends`: the inbox has the order's end. The transaction that records it sets the next check.
 * - `answers`: this payment needs no further query in this check.
 * - `doubts`: the service does not confirm that an order has ended.
 * - `unconfirmed`: the service responded, but not about the end of an order that has ended.
 * - `waits`: the inbox has news of an open order. The check is repeated when they are recorded.
 * - `failed`: the check is repeated, because there was no response.
 */
export type Finding = "ends" | "answers" | "doubts" | "unconfirmed" | "waits" | "failed";

type ResultCase =
  | "news of an end"
  | "other news"
  | "the same end"
  | "still open"
  | "refund status"
  | "refused"
  | "unreadable"
  | "failed";

type Row = Readonly<Record<ResultCase, Finding>>;

/** A refusal counts as a response: a payment that the service does not find has not necessarily failed. */
const open: Row = {
  "news of an end": "ends",
  "other news": "waits",
  "the same end": "answers",
  "still open": "answers",
  "refund status": "answers",
  refused: "answers",
  unreadable: "answers",
  failed: "failed",
};

/** The last check of a timeout or failure: each payment must be confirmed as ended, in case money arrives late. */
const ended: Row = {
  "news of an end": "ends",
  "other news": "doubts",
  "the same end": "answers",
  "still open": "doubts",
  "refund status": "doubts",
  refused: "unconfirmed",
  unreadable: "unconfirmed",
  failed: "failed",
};

export const findings = { open, ended } as const;

export function findingOf(order: Order, result: Result): Finding {
  return findings[isOpen(order) ? "open" : "ended"][caseOf(result)];
}

function caseOf(result: Result): ResultCase {
  switch (result.kind) {
    case "news":
      return isOpen(result) || isOpen(result.order) ? "other news" : "news of an end";
    case "nothing-new":
      return isOpen(result) ? "still open" : "the same end";
    case "refund-status":
      return "refund status";
    default:
      return result.kind;
  }
}

/** Whether the service said how the payment is. */
export function statesStatus({ kind }: Result): boolean {
  return kind === "nothing-new" || kind === "news" || kind === "refund-status";
}

/** The order with what the results say apart from its end. The identical object if they say nothing new. */
export function learnFrom(results: readonly Result[], order: Order): Order {
  const isUnreadable = results.some(({ kind }) => kind === "unreadable");
  const learned = results.reduce(
    (noted, result) => (result.kind === "refund-status" ? result.noted(noted) : noted),
    order,
  );
  const isNew = isUnreadable && learned.hasUnreadableAnswer !== true;
  return isNew ? { ...learned, hasUnreadableAnswer: true } : learned;
}

/** The order after the service responded, and whether every response can be, and one is, a confirmation. */
export function noteResults(
  order: Order,
  results: readonly Result[],
  nowMilliseconds: number,
): Order {
  const stated = results.flatMap(confirmationsIn);
  const isConfirmed = stated.length === results.length && stated.includes(true);
  return noteAnswer(order, isConfirmed, nowMilliseconds);
}

/** The status of a refund confirms that a paid order is paid. About an unpaid one it confirms nothing. */
function confirmationsIn(result: Result): boolean[] {
  if (result.kind === "nothing-new") return [result.isConfirmation];
  return result.kind === "refund-status" && result.isConfirmation ? [true] : [];
}
