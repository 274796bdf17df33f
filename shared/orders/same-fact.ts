import { type PaymentFact, paymentFactId, type SuccessFact } from "../facts/fact.ts";
import { sameAmount } from "../money/amount.ts";
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
  const { minor, currency } = fact.amount;
  const mark = `${attemptMark(order, fact)} ${minor} ${currency}`;
  return { known, factId: isTaken ? paymentFactId(fact, mark) : plain };
}

/** The id under which a known success was published. Only one of the two reports may have the transaction. */
export function publishedSuccessId(order: Order, known: Success, fact: SuccessFact): string {
  const transactions = [fact.transactionId, known.transactionId, undefined];
  const ids = transactions.map((transactionId) => paymentFactId({ ...fact, transactionId }));
  return ids.find((id) => order.facts[id] !== undefined) ?? paymentFactId(fact);
}

/** The success with the same transaction. Otherwise one that may be the same, preferably with the same amount. */
function findSuccess(order: Order, fact: SuccessFact): Success | undefined {
  const exact = order.successes.find((success) => hasTransaction(success, fact.transactionId));
  if (exact !== undefined) return exact;
  const possible = order.successes.filter(
    (success) =>
      mayBeSame(order, success, fact) &&
      (lackTransactions(success, fact) || hasAmount(success, fact)),
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
  const mark = attemptMark(order, fact);
  const marked = findStatement(order, fact, mark);
  const known = role === "other" ? marked : (marked ?? findStatement(order, fact, undefined));
  const isTaken = known === undefined && order.facts[paymentFactId(fact)] !== undefined;
  const attempt = role === "other" || isTaken ? mark : known?.attempt;
  return { known, factId: paymentFactId(fact, attempt), attempt };
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
  return exact ?? alike.find((statement) => mayBeSame(order, statement, fact));
}

function hasTransaction(known: TracedTransaction, transactionId: string | undefined): boolean {
  return transactionId !== undefined && known.transactionId === transactionId;
}

function mayBeSame(order: Order, known: TracedTransaction, fact: PaymentFact): boolean {
  if (known.transactionId !== undefined && fact.transactionId !== undefined) return false;
  return !attemptsDiffer(order, known, traceOf(fact));
}

function lackTransactions(known: TracedTransaction, fact: PaymentFact): boolean {
  return known.transactionId === undefined && fact.transactionId === undefined;
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
