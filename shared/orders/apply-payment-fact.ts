import { hasPaid, stageOf } from "../facts/event-types.ts";
import type { PaymentFact, SuccessFact } from "../facts/fact.ts";
import { type Flag, raisedFlags } from "../facts/flags.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import { type AppliedFact, asKnown, asNews } from "./applied-fact.ts";
import { type AttemptRole, attemptOf, attemptRoleOf, traceOf } from "./attempt-role.ts";
import { endContradictsRefunds } from "./check-refunds.ts";
import { isMoneyReturned, withRefundAnswer } from "./known-refunds.ts";
import { asksForOther, differsFromExpected, learnStatement, learnSuccess } from "./learn-fact.ts";
import { isMoveUp, moveOrder } from "./move-status.ts";
import type { Order, Success } from "./order.ts";
import type { Payment } from "./payment.ts";
import { identifyStatement, identifySuccess } from "./same-fact.ts";
import type { PaymentDetails } from "./schemas.ts";

/** What a fact is compared with, besides its order. */
interface Beside {
  /** The order's payments, whose refunds may be known before the fact that ends the order. */
  readonly payments?: readonly Payment[];
  /** Flags that come from how the fact arrived, such as `conflict`. */
  readonly noted?: readonly Flag[];
}

/**
 * Decides what a fact does to an order: whether it is news, which status the order gets, and which flags are raised.
 * Facts may arrive in any order, more than once, and for another attempt than the one the order follows.
 */
export function applyPaymentFact(
  order: Order,
  fact: PaymentFact,
  { payments = [], noted = [] }: Beside = {},
): AppliedFact<Order> {
  const flags = [...fact.noted, ...noted];
  return hasPaid(fact)
    ? applySuccess(order, fact, payments, flags)
    : applyStatement(order, fact, payments, flags);
}

/** A fact without money: pending, confirming, timeout or failed. */
function applyStatement(
  order: Order,
  fact: PaymentFact,
  payments: readonly Payment[],
  flags: readonly Flag[],
): AppliedFact<Order> {
  const role = attemptRoleOf(order, traceOf(fact));
  const { known, factId, attempt } = identifyStatement(order, fact, role);
  if (known !== undefined) {
    const { learned, raised } = learnStatement(order, known, fact);
    return asKnown(factId, learned, [...raised, ...flags]);
  }
  const { status, amount } = fact;
  const statement = { ...publishedFact(order, fact, factId), status, amount, attempt };
  const stated = { ...order, statements: [...order.statements, statement] };
  const isWrong = asksForOther(order, fact);
  const raised = {
    ...attemptRoleFlags(role),
    unknownOrder: isUnknown(order),
    mismatch: isWrong,
  };
  if (role === "other") {
    return asNews(factId, withReported(stated, fact), [...raisedFlags(raised), ...flags]);
  }
  const moved = moveOrder(stated, status, paymentDetails(fact));
  const regressed = moved === stated;
  const mismatch = isWrong || endContradictsRefunds(order, moved, payments);
  const all = [...raisedFlags({ ...raised, regressed, mismatch }), ...flags];
  return asNews(factId, withPaymentId(moved, fact.paymentId), all);
}

/**
 * Stores what was reported about another attempt with that attempt. Its timeout or failure must not end the attempt
 * that the order follows. It counts later if the service refuses the followed attempt (`followCurrent` in creation.ts).
 */
function withReported(order: Order, fact: PaymentFact): Order {
  const about = attemptOf(order, traceOf(fact));
  const before = about === undefined ? order.untraced : about.reported;
  if (!isMoveUp(before?.status ?? "pending", fact.status)) return order;
  const reported = { status: fact.status, payment: paymentDetails(fact) };
  if (about === undefined) return { ...order, untraced: reported };
  const attempts = order.attempts.map((attempt) =>
    attempt === about ? { ...attempt, reported } : attempt,
  );
  return { ...order, attempts };
}

/** A success: money was received. */
function applySuccess(
  order: Order,
  fact: SuccessFact,
  payments: readonly Payment[],
  flags: readonly Flag[],
): AppliedFact<Order> {
  const { known, factId } = identifySuccess(order, fact);
  if (known !== undefined) {
    const { learned, raised } = learnSuccess(order, known, fact, payments);
    const applied = asKnown(factId, learned, [...raised, ...flags]);
    return { ...applied, publishedId: known.factId };
  }
  const reported = withRefundAnswer(order, payments, fact.refundStatus, fact.learnedAtMilliseconds);
  const moved = moveOrder(reported, fact.status, paymentDetails(fact));
  const paid = { ...moved, successes: [...order.successes, successOf(order, fact, factId)] };
  const raised = raisedFlags({
    ...attemptRoleFlags(attemptRoleOf(order, traceOf(fact))),
    late: stageOf(order.status) === "ended",
    regressed: moved === reported,
    duplicatePayment: order.successes.length > 0,
    mismatch: differsFromExpected(order, fact) || endContradictsRefunds(order, paid, payments),
    refunded: isMoneyReturned(reported, payments),
    unknownOrder: isUnknown(order),
  });
  return asNews(factId, withPaymentId(paid, fact.paymentId), [...raised, ...flags]);
}

function successOf(order: Order, fact: SuccessFact, factId: string): Success {
  return { ...publishedFact(order, fact, factId), amount: fact.amount };
}

/** The identity of a fact is fixed here: a later receipt is compared with what is stored. */
function publishedFact(order: Order, fact: PaymentFact, factId: string) {
  const { origin, transactionId } = fact;
  const trace = traceOf(fact);
  const attemptId = attemptOf(order, trace)?.attemptId;
  return { factId, attemptId, origin, transactionId, ...trace };
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

function attemptRoleFlags(role: AttemptRole): Partial<Record<Flag, boolean>> {
  return { otherAttempt: role === "other", refusedOrder: role === "refused" };
}

/** The order was created elsewhere, so its amount is not known. */
function isUnknown({ expected }: Order): boolean {
  return expected === undefined;
}
