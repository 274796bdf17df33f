import {
  type Amount,
  type AmountWithoutCurrency,
  readAmount,
  sameAmount,
} from "../money/amount.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import { type Fact, factIdOf, type PaymentFact, type RefundFact } from "./fact.ts";
import { type Flag, flags, type Order, type Refund } from "./order.ts";
import { movePayment, moveRefund } from "./order-status.ts";
import { refundsExceedPayment } from "./refunded-total.ts";

/** An order's next snapshot, and what is remarkable about the fact that led there. */
export interface AppliedFact {
  readonly order: Order;
  readonly flags: readonly Flag[];
  /** The fact's amount; a refund's in its payment's currency where that is known. */
  readonly amount: Amount | AmountWithoutCurrency | undefined;
}

/**
 * Nothing if the order knows the fact already: it has been published, and is not again. `noted` are flags
 * that come from how the fact arrived.
 */
export function applyFact(
  order: Order,
  fact: Fact,
  noted: readonly Flag[] = [],
): AppliedFact | undefined {
  const factId = factIdOf(fact);
  if (order.facts[factId] !== undefined) return undefined;
  const applied = fact.kind === "payment" ? applyPayment(order, fact) : applyRefund(order, fact);
  const version = order.version + 1;
  const raised = [...applied.flags, ...noted];
  return {
    ...applied,
    flags: raised,
    order: {
      ...applied.order,
      version,
      facts: { ...order.facts, [factId]: version },
      flags: [...new Set([...order.flags, ...raised])],
    },
  };
}

function applyPayment(order: Order, fact: PaymentFact): AppliedFact {
  const move = movePayment(order.status, fact.status);
  const raised: Partial<Record<Flag, boolean>> = {
    late: move.late,
    regressed: !move.moved,
    duplicatePayment: isSecondPayment(order, fact),
    mismatch: differsFromExpected(order, fact.amount),
    unknownOrder: order.expected === undefined,
  };
  const paymentIds = withId(order.paymentIds, fact.paymentId);
  const paidBy =
    fact.status === "success" ? withId(order.paidBy, fact.transactionId) : order.paidBy;
  const payment = move.moved ? paymentDetails(fact) : completed(order, paidBy);
  return {
    order: { ...order, status: move.status, payment, paymentIds, paidBy },
    flags: raisedFlags(raised),
    amount: fact.amount,
  };
}

function applyRefund(order: Order, fact: RefundFact): AppliedFact {
  const known = order.refunds[fact.refundId];
  const move = known === undefined ? undefined : moveRefund(known.status, fact.status);
  const { amount, readable } = refundAmount(order, fact.amount);
  const refund: Refund = { ...toldDetails(fact), ...refundIds(fact), status: fact.status, amount };
  const isNews = move === undefined || move.moved;
  const refunds = isNews ? { ...order.refunds, [fact.refundId]: refund } : order.refunds;
  const next = { ...order, refunds };
  const raised = {
    regressed: !isNews,
    mismatch: !readable || refundsExceedPayment(next),
    unknownOrder: order.orderNo === undefined,
  };
  return { order: next, flags: raisedFlags(raised), amount };
}

export function paymentDetails(fact: Omit<PaymentFact, "orderNo">): Order["payment"] {
  const { amount, origin, learnedAtMilliseconds } = fact;
  return { ...toldDetails(fact), amount, origin, learnedAt: toRfc3339(learnedAtMilliseconds) };
}

function refundIds({ refundId, paymentId, refundNo }: RefundFact) {
  return { refundId, paymentId, refundNo };
}

/** A refund tells no currency (§2.12): it is the payment's. One that does not fit its decimals is kept as told. */
export function refundAmount(order: Order, told: Refund["amount"]) {
  const currency = order.payment.amount?.currency ?? order.expected?.amount.currency;
  if (told === undefined || currency === undefined) return { amount: told, readable: true };
  try {
    return { amount: readAmount(told.value, currency), readable: true };
  } catch {
    return { amount: told, readable: false };
  }
}

/** The consumer paid twice: two successes, each with a transaction of its own. */
function isSecondPayment({ paidBy }: Order, { status, transactionId }: PaymentFact): boolean {
  if (status !== "success" || transactionId === undefined) return false;
  return paidBy.some((paid) => paid !== transactionId);
}

/** A success may be told before its transaction is: then the one told later is the one. */
function completed({ status, payment }: Order, paidBy: readonly string[]): Order["payment"] {
  if (status !== "success" || payment.transactionId !== undefined) return payment;
  return { ...payment, transactionId: paidBy[0] };
}

function withId(ids: readonly string[], id: string | undefined): string[] {
  return [...new Set([...ids, ...(id === undefined ? [] : [id])])];
}

function differsFromExpected(order: Order, amount: Amount | undefined): boolean {
  if (order.expected === undefined || amount === undefined) return false;
  return !sameAmount(order.expected.amount, amount);
}

/** A known fact is not published again, but one that now names another amount must not pass unseen. */
export function contradictsKnown(order: Order, fact: Fact): boolean {
  if (fact.kind === "refund") {
    const known = order.refunds[fact.refundId]?.amount;
    const { amount } = refundAmount(order, fact.amount);
    return known !== undefined && amount !== undefined && known.value !== amount.value;
  }
  const { amount } = order.payment;
  const differs = amount && fact.amount && fact.status === order.status;
  return (differs && !sameAmount(amount, fact.amount)) || differsFromExpected(order, fact.amount);
}

function toldDetails(fact: Omit<PaymentFact, "orderNo"> | RefundFact) {
  return {
    transactionId: fact.transactionId,
    reason: fact.reason,
    createdAt: optionalRfc3339(fact.createdAtMilliseconds),
    completedAt: optionalRfc3339(fact.completedAtMilliseconds),
  };
}

function raisedFlags(raised: Partial<Record<Flag, boolean>>): Flag[] {
  return flags.filter((flag) => raised[flag]);
}
