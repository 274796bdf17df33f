import { type AskPayment, askPayment, type Reply } from "../asking/ask-payment.ts";
import {
  dueAfterAnswer,
  dueAfterFailure,
  endRepeats,
  isOpen,
  withoutConfirmation,
} from "../orders/due.ts";
import { type Order, withRefundStatus } from "../orders/order.ts";
import { claimCheck, noteAnswer, renewClaim } from "../orders/query-claim.ts";

export interface CheckOrder extends AskPayment {
  /**
   * Replaces the stored order, in one transaction with the notices that open or close with it. Returns the order with
   * its new revision, or undefined if another writer was first.
   */
  readonly saveOrder: (order: Order, stored: Order) => Promise<Order | undefined>;
  /** Whether a query that starts now can end within the function's time. */
  readonly hasTimeToAsk: () => boolean;
  /** Waits until the next query may be sent. */
  readonly waitForTurn: () => Promise<void>;
}

/** A running check. */
interface Check {
  /** The order as it is stored. */
  order: Order;
  readonly results: Result[];
  readonly note: (result: Result) => void;
}

/**
 * Queries the service about every payment of a due order, and sets the order's next check. `note` gets the result of
 * each query immediately. Returns the order as stored. If another caller or the end of the time stops the check, a
 * later run continues. Throws if the table fails.
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
 * The claim is written together with the next check, as if the query had already failed. A failure, a crash or a lost
 * race then needs no further write, and an order on which every run fails does not stay first in line.
 */
async function claim(check: Check, deps: CheckOrder): Promise<boolean> {
  await deps.waitForTurn();
  const now = deps.now();
  const claimed = claimCheck(check.order, now, deps.random());
  if (claimed === undefined) return false;
  return await save(dueAfterFailure(claimed, now, deps.random()), check, deps);
}

/** Each query has its own claim, because one claim is too short for many payments. */
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

/** Each check starts with another payment, so that a check without time for all does not always query the same ones. */
function rotate(paymentIds: readonly string[], random: number): string[] {
  const first = Math.floor(random * paymentIds.length);
  return [...paymentIds.slice(first), ...paymentIds.slice(0, first)];
}

async function renew(check: Check, deps: CheckOrder): Promise<boolean> {
  if (!deps.hasTimeToAsk()) return false;
  await deps.waitForTurn();
  return await save(renewClaim(check.order, deps.now(), deps.random()), check, deps);
}

/** A payment whose query fails must not hide the order's other payments. */
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

/** The result of one query. `failed`: there was no response, or the inbox did not accept it. */
export type Result = Reply | { readonly kind: "failed"; readonly error: unknown };

/** The order after the queries of a check. The identical object if the next check stays as the claim set it. */
function afterQuestions(asked: Order, results: readonly Result[], nowMilliseconds: number): Order {
  const answered = withRefundStatus(asked, refundStatusOf(results));
  // The transaction that records the end sets the next check. An order with an end is never unresolved.
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

/** Returns the identical object if this is known already. */
function withUnreadableAnswer(order: Order): Order {
  return order.hasUnreadableAnswer === true ? order : { ...order, hasUnreadableAnswer: true };
}

function refundStatusOf(results: readonly Result[]): Order["refundStatus"] {
  return results.find((result) => result.kind === "refund-status")?.refundStatus;
}

/** The order of a removed merchant cannot be queried. It is checked as usual until it becomes unresolved. */
export function withoutQuestion(order: Order, nowMilliseconds: number, random: number): Order {
  return isOpen(order)
    ? dueAfterAnswer(order, nowMilliseconds)
    : afterFailure(order, nowMilliseconds, random);
}

/** The order after a query that failed or could not be sent. */
export function afterFailure(order: Order, nowMilliseconds: number, random: number): Order {
  return endRepeats(dueAfterFailure(order, nowMilliseconds, random), nowMilliseconds);
}

/** Whether the result ends the order. Any other status does not end the checks. */
function tellsEnd(result: Result): boolean {
  return result.kind === "news" && !isOpen(result) && !isOpen(result.order);
}

/**
 * For an open order a refusal counts as a response: a payment that the service does not find has not necessarily
 * failed. An order that ended has only its last check, so each payment must be confirmed as ended, in case money
 * arrives late.
 */
function isAnswered(order: Order, results: readonly Result[]): boolean {
  return results.every(isOpen(order) ? isAnswer : confirmsEnd);
}

function isAnswer({ kind }: Result): boolean {
  return kind !== "failed" && kind !== "news";
}

/**
 * A payment that is `pending` or `confirming` at the service may still be paid, whatever the order's status is here.
 */
function confirmsEnd(result: Result): boolean {
  return isNothingNew(result) && !isOpen(result);
}

/** Whether a result casts doubt on the order's end. A query without a response says nothing about it. */
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
