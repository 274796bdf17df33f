import { type PaymentFact, paymentFactId, type SuccessFact } from "../facts/fact.ts";
import { type Amount, sameAmount } from "../money/amount.ts";
import {
  type AttemptRole,
  type AttemptTrace,
  attemptOf,
  attemptsDiffer,
  traceOf,
} from "./attempt-role.ts";
import type { Order, Statement, Success } from "./order.ts";

/**
 * The published fact that a new one repeats, if any. The service may report a status once with its transaction and once
 * without. That is one fact if the attempts are not known to differ and, for a success, the amounts agree. Two
 * transactions are two facts.
 */
export interface Identity<Known> {
  /** The fact as it was published. Undefined if it is news. */
  readonly known: Known | undefined;
  readonly factId: string;
}

interface TracedTransaction extends AttemptTrace {
  readonly transactionId?: string | undefined;
}

/** Usually the id of the fact alone. If another success has that id, the attempt and the amount are added to it. */
export function identifySuccess(order: Order, fact: SuccessFact): Identity<Success> {
  const known = findSuccess(order, fact);
  const plain = paymentFactId(fact);
  const isTaken = known === undefined && order.facts[plain] !== undefined;
  return { known, factId: isTaken ? markedId(order, fact, fact.amount) : plain };
}

function markedId(order: Order, fact: SuccessFact, { minor, currency }: Amount): string {
  return paymentFactId(fact, `${attemptMark(order, fact)} ${minor} ${currency}`);
}

/** The success with the same transaction. Otherwise one that may be the same, preferably with the same amount. */
function findSuccess(order: Order, fact: SuccessFact): Success | undefined {
  const exact = order.successes.find((success) => hasTransaction(success, fact.transactionId));
  if (exact !== undefined) return exact;
  const possible = order.successes.filter(
    (success) =>
      mayBeSame(order, success, fact) &&
      (lackTransactions(order, success, fact) || hasAmount(success, fact)),
  );
  return possible.find((success) => hasAmount(success, fact)) ?? possible[0];
}

/**
 * The same for a fact without money. The attempt is part of its identity if the order follows another attempt, or if
 * the id without it belongs to another attempt. A fact that was published for another attempt stays the same fact, even
 * if the order follows that attempt now.
 */
export function identifyStatement(
  order: Order,
  fact: PaymentFact,
  role: AttemptRole,
): Identity<Statement> & Pick<Statement, "attempt"> {
  const same = findSameWords(order.statements, fact);
  if (same !== undefined) return { known: same, factId: same.factId, attempt: same.attempt };
  const mark = attemptMark(order, fact);
  const marked = findStatement(order, fact, mark);
  const known = role === "other" ? marked : (marked ?? findStatement(order, fact, undefined));
  const isTaken = known === undefined && order.facts[paymentFactId(fact)] !== undefined;
  const attempt = role === "other" || isTaken ? mark : known?.attempt;
  return { known, factId: known?.factId ?? paymentFactId(fact, attempt), attempt };
}

/**
 * The statement that says the same of the same attempt, in the same words. What is known about the attempts may have
 * changed since it was stored; its identity has not.
 */
function findSameWords(statements: readonly Statement[], fact: PaymentFact): Statement | undefined {
  const trace = traceOf(fact);
  if (trace.paymentId === undefined && trace.paymentTimeMilliseconds === undefined)
    return undefined;
  const alike = statements.filter(
    (statement) =>
      statement.status === fact.status &&
      statement.origin === fact.origin &&
      haveSameWords(statement, trace) &&
      !haveTwoTransactions(statement, fact),
  );
  return alike.find((statement) => hasTransaction(statement, fact.transactionId)) ?? alike[0];
}

function haveSameWords(known: AttemptTrace, trace: AttemptTrace): boolean {
  return (
    known.paymentId === trace.paymentId &&
    known.paymentTimeMilliseconds === trace.paymentTimeMilliseconds &&
    known.isPaymentTimeWholeSecond === trace.isPaymentTimeWholeSecond
  );
}

function haveTwoTransactions(known: TracedTransaction, { transactionId }: PaymentFact): boolean {
  if (known.transactionId === undefined || transactionId === undefined) return false;
  return known.transactionId !== transactionId;
}

function findStatement(
  order: Order,
  fact: PaymentFact,
  attempt: string | undefined,
): Statement | undefined {
  const alike = order.statements.filter(
    (statement) => statement.status === fact.status && statement.attempt === attempt,
  );
  const exact = alike.find((statement) => hasTransaction(statement, fact.transactionId));
  if (exact !== undefined) return exact;
  // Attempts that were made here are part of a fact's identity only by their mark.
  const isCreatedHere = order.attempts.length > 0;
  return alike.find(({ transactionId, ...statement }) =>
    mayBeSame(order, { transactionId, ...(isCreatedHere ? {} : statement) }, fact),
  );
}

function hasTransaction(known: TracedTransaction, transactionId: string | undefined): boolean {
  return transactionId !== undefined && known.transactionId === transactionId;
}

function mayBeSame(order: Order, known: TracedTransaction, fact: PaymentFact): boolean {
  if (known.transactionId !== undefined && fact.transactionId !== undefined) return false;
  return !attemptsDiffer(order, known, traceOf(fact));
}

/** Whether neither was reported with a transaction. The success may have learned its own since: its id has none. */
function lackTransactions(order: Order, known: Success, fact: SuccessFact): boolean {
  if (fact.transactionId !== undefined) return false;
  const unnamedIds = [paymentFactId(fact), markedId(order, fact, known.amount)];
  return known.transactionId === undefined || unnamedIds.includes(known.factId);
}

function hasAmount(known: Success, fact: SuccessFact): boolean {
  return sameAmount(known.amount, fact.amount);
}

/**
 * Names the attempt of a fact: by the payment time that was sent for it, or else by the fact's own time or payment id.
 */
function attemptMark(order: Order, fact: PaymentFact): string {
  const trace = traceOf(fact);
  const time = attemptOf(order, trace)?.paymentTimeMilliseconds ?? trace.paymentTimeMilliseconds;
  return `attempt ${time ?? trace.paymentId ?? "unknown"}`;
}
