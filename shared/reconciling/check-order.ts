import { type AskPayment, askPayment, type Reply } from "../asking/ask-payment.ts";
import { claimCheck, noteAnswer, renewClaim } from "../orders/ask-service.ts";
import {
  dueAfterAnswer,
  dueAfterFailure,
  endRepeats,
  isOpen,
  withoutConfirmation,
} from "../orders/due.ts";
import { type Order, withRefundStatus } from "../orders/order.ts";

export interface CheckOrder extends AskPayment {
  /**
   * Writes the order in place of the stored one, in one transaction with the notices that begin or end with it. Returns
   * it with its new revision, or undefined if another writer was first.
   */
  readonly saveOrder: (order: Order, stored: Order) => Promise<Order | undefined>;
  /** Whether a question that begins now ends inside the time that the function has. */
  readonly hasTimeToAsk: () => boolean;
  /** Waits until the next question may be sent. */
  readonly waitForTurn: () => Promise<void>;
}

/** A check that is under way. */
interface Check {
  /** The order as it is stored. */
  order: Order;
  readonly results: Result[];
  readonly note: (result: Result) => void;
}

/**
 * Asks the service about every payment of an order that is due, and sets the order's next check. `note` gets the result
 * of each question at once. Returns the order as it is stored then. A check that another caller or the end of the time
 * has stopped is left to a later run. Throws if the table fails.
 */
export async function checkOrder(
  due: Order,
  deps: CheckOrder,
  note: (result: Result) => void,
): Promise<Order> {
  const check: Check = { order: due, results: [], note };
  if (!(await claim(check, deps))) return check.order;
  const isComplete = await askAll(check, deps);
  const hasFailed = check.results.some(({ kind }) => kind === "failed");
  if (isComplete || hasFailed) await setNextCheck(check, deps);
  return check.order;
}

/**
 * The claim is written together with the next check, as if the question had failed already: then a failure, a crash or
 * a lost race needs no further write, and an order on which every run fails does not stay the first in the line.
 */
async function claim(check: Check, deps: CheckOrder): Promise<boolean> {
  await deps.waitForTurn();
  const now = deps.now();
  const claimed = claimCheck(check.order, now, deps.random());
  if (claimed === undefined) return false;
  return await save(dueAfterFailure(claimed, now, deps.random()), check, deps);
}

/** Each question has a claim of its own, because one claim is too short for many payments. */
async function askAll(check: Check, deps: CheckOrder): Promise<boolean> {
  const paymentIds = rotate(check.order.paymentIds, deps.random());
  for (const [index, paymentId] of paymentIds.entries()) {
    if (index > 0 && !(await renew(check, deps))) return false;
    const result = await ask(paymentId, check.order, deps);
    check.results.push(result);
    check.note(result);
  }
  return true;
}

/** Each check begins with another payment, so that a check without time for all does not always ask the same ones. */
function rotate(paymentIds: readonly string[], random: number): string[] {
  const first = Math.floor(random * paymentIds.length);
  return [...paymentIds.slice(first), ...paymentIds.slice(0, first)];
}

async function renew(check: Check, deps: CheckOrder): Promise<boolean> {
  if (!deps.hasTimeToAsk()) return false;
  await deps.waitForTurn();
  return await save(renewClaim(check.order, deps.now(), deps.random()), check, deps);
}

/** A payment whose question fails must not hide the order's other payments. */
async function ask(paymentId: string, order: Order, deps: CheckOrder): Promise<Result> {
  try {
    return await askPayment(order, paymentId, deps);
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function setNextCheck(check: Check, deps: CheckOrder): Promise<void> {
  const next = afterQuestions(check.order, check.results, deps.now());
  if (next !== check.order) await save(next, check, deps);
}

/** False if another writer was first. */
async function save(next: Order, check: Check, deps: CheckOrder): Promise<boolean> {
  const saved = await deps.saveOrder(next, check.order);
  check.order = saved ?? check.order;
  return saved !== undefined;
}

/** What became of one question. `failed`: it had no answer, or the inbox did not accept the answer. */
export type Result = Reply | { readonly kind: "failed"; readonly error: unknown };

/** The order after the questions of a check. The identical object if the next check stays as the claim has set it. */
function afterQuestions(asked: Order, results: readonly Result[], nowMilliseconds: number): Order {
  const answered = withRefundStatus(asked, refundStatusOf(results));
  // The transaction that records the end sets the next check, and no order with an end is unresolved.
  if (results.some(tellsEnd)) return answered;
  const order = results.some(isUnreadable) ? withUnreadableAnswer(answered) : answered;
  if (!isAnswered(order, results)) {
    const doubted = results.some(doubtsEnd) ? withoutConfirmation(order) : order;
    return endRepeats(doubted, nowMilliseconds);
  }
  const isConfirmed = results.every(isNothingNew) && results.some(confirmsStatus);
  return dueAfterAnswer(noteAnswer(order, isConfirmed, nowMilliseconds), nowMilliseconds);
}

function isUnreadable({ kind }: Result): boolean {
  return kind === "unreadable";
}

/** Returns the identical object if it is known. */
function withUnreadableAnswer(order: Order): Order {
  return order.hasUnreadableAnswer === true ? order : { ...order, hasUnreadableAnswer: true };
}

function refundStatusOf(results: readonly Result[]): Order["refundStatus"] {
  return results.find((result) => result.kind === "refund-status")?.refundStatus;
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

/** A status that is not an end, or that does not end the order, is no end of the search. */
function tellsEnd(result: Result): boolean {
  return result.kind === "news" && !isOpen(result) && !isOpen(result.order);
}

/**
 * For an open order a refusal is an answer, too: that the service does not find a payment does not mean that it failed.
 * An order that ended has only one check left, and only the end of each payment can end the search for late money.
 */
function isAnswered(order: Order, results: readonly Result[]): boolean {
  return results.every(isOpen(order) ? isAnswer : confirmsEnd);
}

function isAnswer({ kind }: Result): boolean {
  return kind !== "failed" && kind !== "news";
}

/** A payment that is `pending` or `confirming` at the service may still be paid, whatever the order's status is here. */
function confirmsEnd(result: Result): boolean {
  return isNothingNew(result) && !isOpen(result);
}

/** Whether an answer puts the end of the order in doubt. A question without an answer says nothing about it. */
function doubtsEnd(result: Result): boolean {
  switch (result.kind) {
    case "nothing-new":
      return isOpen(result);
    case "news":
    case "refund-status":
      return true;
    case "refused":
    case "unreadable":
    case "failed":
      return false;
  }
}

function confirmsStatus(result: Result): boolean {
  return isNothingNew(result) && result.isConfirmation;
}

function isNothingNew(result: Result): result is Extract<Result, { kind: "nothing-new" }> {
  return result.kind === "nothing-new";
}
