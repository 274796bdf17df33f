import type { Reply } from "../asking/ask-payment.ts";
import { noteAnswer } from "../orders/ask-service.ts";
import { dueAfterAnswer, dueAfterFailure, endRepeats, isOpen } from "../orders/due.ts";
import type { Order } from "../orders/order.ts";

/** What became of one question. `failed`: it had no answer, or the inbox did not accept the answer. */
export type Result = Reply | { readonly kind: "failed"; readonly error: unknown };

/** The order after the questions of a check. The identical object if the next check stays as the claim has set it. */
export function afterQuestions(
  order: Order,
  results: readonly Result[],
  nowMilliseconds: number,
): Order {
  // The transaction that records the end sets the next check, and no order with an end is unresolved.
  if (results.some(tellsEnd)) return order;
  if (!isAnswered(order, results)) return endRepeats(order, nowMilliseconds);
  const isConfirmed = results.every(isConfirmation);
  return dueAfterAnswer(noteAnswer(order, isConfirmed, nowMilliseconds), nowMilliseconds);
}

/** The order of a merchant that was removed: nobody can ask, so it waits as usual and is unresolved in the end. */
export function withoutQuestion(order: Order, nowMilliseconds: number, random: number): Order {
  return isOpen(order)
    ? dueAfterAnswer(order, nowMilliseconds)
    : afterFailure(order, nowMilliseconds, random);
}

/** The order after a question that failed, or that could not even be sent. */
export function afterFailure(order: Order, nowMilliseconds: number, random: number): Order {
  return endRepeats(dueAfterFailure(order, nowMilliseconds, random), nowMilliseconds);
}

function tellsEnd(result: Result): boolean {
  return result.kind === "news" && !isOpen(result.order);
}

/**
 * For an open order a refusal is an answer, too: that the service does not find a payment does not mean that it failed.
 * An order that ended has only one check left, and only a status of each payment can end the search for late money.
 */
function isAnswered(order: Order, results: readonly Result[]): boolean {
  return results.every(isOpen(order) ? isAnswer : isConfirmation);
}

function isAnswer({ kind }: Result): boolean {
  return kind !== "failed" && kind !== "news";
}

function isConfirmation({ kind }: Result): boolean {
  return kind === "nothing-new";
}
