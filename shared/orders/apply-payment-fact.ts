import { type PaymentFact, paymentFactId, type SuccessFact } from "../facts/fact.ts";
import { type Flag, raisedFlags } from "../facts/flags.ts";
import { sameAmount } from "../money/amount.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import { type AppliedFact, asKnown, asNews } from "./applied-fact.ts";
import type { Order, Success } from "./order.ts";
import { movePayment } from "./order-status.ts";
import type { PaymentDetails } from "./schemas.ts";
import { type Standing, standingOf } from "./standing.ts";

/** The order after a fact. `noted` are flags that come from how the fact arrived. */
export function applyPaymentFact(
  order: Order,
  fact: PaymentFact,
  noted: readonly Flag[] = [],
): AppliedFact<Order> {
  const standing = standingOf(order, fact);
  const factId = factIdIn(order, fact, standing);
  const flags = [...fact.noted, ...noted];
  if (fact.status === "success") return applySuccess(order, fact, standing, factId, flags);
  if (order.facts[factId] !== undefined) return asKnown(factId, order, flags);
  const raised = { ...standingFlags(standing), unknownOrder: isUnknown(order) };
  // Of another attempt only a success counts: its timeout or failure must not end the one that is alive.
  if (standing === "other") return asNews(factId, order, [...raisedFlags(raised), ...flags]);
  const move = movePayment(order.status, fact.status);
  const next = move.moved
    ? { ...order, status: move.status, payment: paymentDetails(fact) }
    : order;
  const all = [...raisedFlags({ ...raised, regressed: !move.moved }), ...flags];
  return asNews(factId, withPaymentId(next, fact.paymentId), all);
}

/** Money came in. The same success told again, also with its transaction only now, is known. */
function applySuccess(
  order: Order,
  fact: SuccessFact,
  standing: Standing,
  factId: string,
  flags: readonly Flag[],
): AppliedFact<Order> {
  const known = findSuccess(order, fact);
  const differs = known !== undefined && !sameAmount(known.amount, fact.amount);
  const mismatch = differs || differsFromExpected(order, fact);
  if (known !== undefined) {
    const learned = learnTransaction(order, known, fact.transactionId);
    return asKnown(factId, learned, [...raisedFlags({ mismatch }), ...flags]);
  }
  const move = movePayment(order.status, fact.status);
  const raised = raisedFlags({
    ...standingFlags(standing),
    late: move.late,
    regressed: !move.moved,
    duplicatePayment: order.successes.length > 0,
    mismatch,
    unknownOrder: isUnknown(order),
  });
  const next: Order = {
    ...order,
    status: move.status,
    payment: move.moved ? paymentDetails(fact) : order.payment,
    successes: [...order.successes, successOf(fact)],
  };
  return asNews(factId, withPaymentId(next, fact.paymentId), [...raised, ...flags]);
}

/**
 * Usually a fact's plain identity. With the attempt's time in it where the fact is of another attempt, and where
 * two successes without a transaction are known to be different ones.
 */
function factIdIn(order: Order, fact: PaymentFact, standing: Standing): string {
  const plain = paymentFactId(fact);
  const ofAttempt = paymentFactId(fact, `attempt ${fact.createdAtMilliseconds ?? "unknown"}`);
  if (fact.status !== "success") return standing === "other" ? ofAttempt : plain;
  if (fact.transactionId !== undefined) return plain;
  const isTaken = order.facts[plain] !== undefined && findSuccess(order, fact) === undefined;
  return isTaken ? ofAttempt : plain;
}

/** The one with the same transaction; failing that, one that may be the same. */
function findSuccess({ successes }: Order, fact: SuccessFact): Success | undefined {
  const { transactionId } = fact;
  const exact = successes.find(
    (one) => transactionId !== undefined && one.transactionId === transactionId,
  );
  return exact ?? successes.find((one) => mayBeSame(one, fact));
}

/**
 * A success may be told first without its transaction: then it is the same one if the amounts agree and nothing
 * says that the attempts differ. Two transactions are two payments.
 */
function mayBeSame(known: Success, fact: SuccessFact): boolean {
  if (known.transactionId !== undefined && fact.transactionId !== undefined) return false;
  const times = [known.paymentTimeMilliseconds, fact.createdAtMilliseconds];
  if (!times.includes(undefined) && times[0] !== times[1]) return false;
  const bothWithout = known.transactionId === undefined && fact.transactionId === undefined;
  return bothWithout || sameAmount(known.amount, fact.amount);
}

function learnTransaction(order: Order, known: Success, transactionId: string | undefined): Order {
  if (known.transactionId !== undefined || transactionId === undefined) return order;
  const successes = order.successes.map((one) => (one === known ? { ...one, transactionId } : one));
  const isPaying = order.successes[0] === known;
  const payment = isPaying ? { ...order.payment, transactionId } : order.payment;
  return { ...order, successes, payment };
}

function successOf({ amount, transactionId, createdAtMilliseconds }: SuccessFact): Success {
  return { amount, transactionId, paymentTimeMilliseconds: createdAtMilliseconds };
}

function paymentDetails(fact: Omit<PaymentFact, "orderNo">): PaymentDetails {
  return {
    transactionId: fact.transactionId,
    reason: fact.reason,
    createdAt: optionalRfc3339(fact.createdAtMilliseconds),
    completedAt: optionalRfc3339(fact.completedAtMilliseconds),
    amount: fact.amount,
    origin: fact.origin,
    learnedAt: toRfc3339(fact.learnedAtMilliseconds),
  };
}

function withPaymentId(order: Order, paymentId: string | undefined): Order {
  if (paymentId === undefined || order.paymentIds.includes(paymentId)) return order;
  return { ...order, paymentIds: [...order.paymentIds, paymentId] };
}

function standingFlags(standing: Standing): Partial<Record<Flag, boolean>> {
  return { otherAttempt: standing === "other", refusedOrder: standing === "refused" };
}

/** Nothing says how much was to be paid: it was created elsewhere. */
function isUnknown({ expected }: Order): boolean {
  return expected === undefined;
}

function differsFromExpected({ expected }: Order, { amount }: SuccessFact): boolean {
  return expected !== undefined && !sameAmount(expected, amount);
}
