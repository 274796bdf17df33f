import { type PaymentFact, paymentFactId, type SuccessFact } from "../facts/fact.ts";
import { type Flag, raisedFlags } from "../facts/flags.ts";
import { sameAmount } from "../money/amount.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import { type AppliedFact, asKnown, asNews } from "./applied-fact.ts";
import { isMoveUp, moveOrder } from "./move-status.ts";
import type { Order, Success } from "./order.ts";
import type { PaymentDetails } from "./schemas.ts";
import { attemptOf, attemptsDiffer, type Standing, standingOf, traceOf } from "./standing.ts";

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
  if (standing === "other") {
    return asNews(factId, withTold(order, fact), [...raisedFlags(raised), ...flags]);
  }
  const moved = moveOrder(order, fact.status, paymentDetails(fact));
  const regressed = moved === order;
  const all = [...raisedFlags({ ...raised, regressed }), ...flags];
  return asNews(factId, withPaymentId(moved, fact.paymentId), all);
}

/**
 * Only a success of another attempt counts: its timeout or failure must not end the attempt that the order follows. It
 * is kept with its own attempt, in case the service refuses the one that the order follows.
 */
function withTold(order: Order, fact: PaymentFact): Order {
  const about = attemptOf(order, traceOf(fact));
  const before = about === undefined ? order.untraced : about.told;
  if (!isMoveUp(before?.status ?? "pending", fact.status)) return order;
  const told = { status: fact.status, payment: paymentDetails(fact) };
  if (about === undefined) return { ...order, untraced: told };
  const attempts = order.attempts.map((one) => (one === about ? { ...one, told } : one));
  return { ...order, attempts };
}

/** Money came in. A repeat of the same success is known, even if only the repeat names the transaction. */
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
  const moved = moveOrder(order, fact.status, paymentDetails(fact));
  const raised = raisedFlags({
    ...standingFlags(standing),
    late: order.status === "timeout" || order.status === "failed",
    regressed: moved === order,
    duplicatePayment: order.successes.length > 0,
    mismatch,
    unknownOrder: isUnknown(order),
  });
  const next = { ...moved, successes: [...order.successes, successOf(fact)] };
  return asNews(factId, withPaymentId(next, fact.paymentId), [...raised, ...flags]);
}

/**
 * Usually the fact's plain identity. The attempt's time is added if the fact belongs to another attempt, or if two
 * successes without a transaction are known to be different.
 */
function factIdIn(order: Order, fact: PaymentFact, standing: Standing): string {
  const plain = paymentFactId(fact);
  const attempt = attemptMark(order, fact);
  if (fact.status === "success") {
    if (fact.transactionId !== undefined) return plain;
    const isTaken = order.facts[plain] !== undefined && findSuccess(order, fact) === undefined;
    const { minor, currency } = fact.amount;
    return isTaken ? paymentFactId(fact, `${attempt} ${minor} ${currency}`) : plain;
  }
  // A fact published for another attempt keeps its id, even if the order follows that attempt now.
  const ofAttempt = paymentFactId(fact, attempt);
  return standing === "other" || order.facts[ofAttempt] !== undefined ? ofAttempt : plain;
}

/** Names the attempt of a fact: by the time that was sent for it, or else by what the fact itself tells. */
function attemptMark(order: Order, fact: PaymentFact): string {
  const trace = traceOf(fact);
  const time = attemptOf(order, trace)?.paymentTimeMilliseconds ?? trace.paymentTimeMilliseconds;
  return `attempt ${time ?? trace.paymentId ?? "unknown"}`;
}

/** The success with the same transaction. Otherwise one that may be the same, preferably with the same amount. */
function findSuccess(order: Order, fact: SuccessFact): Success | undefined {
  const { transactionId, amount } = fact;
  const exact = order.successes.find(
    (one) => transactionId !== undefined && one.transactionId === transactionId,
  );
  if (exact !== undefined) return exact;
  const possible = order.successes.filter((one) => mayBeSame(order, one, fact));
  return possible.find((one) => sameAmount(one.amount, amount)) ?? possible[0];
}

/**
 * The service may report a success first without its transaction. It is the same success if the amounts agree and
 * nothing shows that the attempts differ. Two transactions are two payments.
 */
function mayBeSame(order: Order, known: Success, fact: SuccessFact): boolean {
  if (known.transactionId !== undefined && fact.transactionId !== undefined) return false;
  if (attemptsDiffer(order, known, traceOf(fact))) return false;
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

function successOf(fact: SuccessFact): Success {
  const { amount, transactionId } = fact;
  return { amount, transactionId, ...traceOf(fact) };
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

/** The order was created elsewhere, so we do not know how much was to be paid. */
function isUnknown({ expected }: Order): boolean {
  return expected === undefined;
}

function differsFromExpected({ expected }: Order, { amount }: SuccessFact): boolean {
  return expected !== undefined && !sameAmount(expected, amount);
}
