import { hasPaid, stageOf } from "../facts/event-types.ts";
import type { PaymentFact, SuccessFact } from "../facts/fact.ts";
import { type Flag, raisedFlags } from "../facts/flags.ts";
import { sameAmount } from "../money/amount.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import { type AppliedFact, asKnown, asNews } from "./applied-fact.ts";
import { type AttemptRole, attemptOf, attemptRoleOf, traceOf } from "./attempt-role.ts";
import { isMoveUp, moveOrder } from "./move-status.ts";
import { type Order, type Statement, type Success, withRefundStatus } from "./order.ts";
import { identifyStatement, identifySuccess, publishedSuccessId } from "./same-fact.ts";
import type { PaymentDetails } from "./schemas.ts";

/**
 * Decides what a fact does to an order: whether it is news, which status the order gets, and which flags are raised.
 * Facts may arrive in any order, more than once, and for another attempt than the one the order follows. `noted` are
 * flags that come from how the fact arrived, such as `conflict`.
 */
export function applyPaymentFact(
  order: Order,
  fact: PaymentFact,
  noted: readonly Flag[] = [],
): AppliedFact<Order> {
  const flags = [...fact.noted, ...noted];
  return hasPaid(fact) ? applySuccess(order, fact, flags) : applyStatement(order, fact, flags);
}

/** A fact without money: pending, confirming, timeout or failed. */
function applyStatement(
  order: Order,
  fact: PaymentFact,
  flags: readonly Flag[],
): AppliedFact<Order> {
  const role = attemptRoleOf(order, traceOf(fact));
  const { known, factId, attempt } = identifyStatement(order, fact, role);
  if (known !== undefined) return asKnown(factId, learnStatement(order, known, fact), flags);
  const { status, transactionId } = fact;
  const trace = order.attempts.length === 0 ? traceOf(fact) : {};
  const statement = { status, transactionId, attempt, ...trace };
  const stated = { ...order, statements: [...order.statements, statement] };
  const raised = { ...attemptRoleFlags(role), unknownOrder: isUnknown(order) };
  if (role === "other") {
    return asNews(factId, withReported(stated, fact), [...raisedFlags(raised), ...flags]);
  }
  const moved = moveOrder(stated, status, paymentDetails(fact));
  const regressed = moved === stated;
  const all = [...raisedFlags({ ...raised, regressed }), ...flags];
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
function applySuccess(order: Order, fact: SuccessFact, flags: readonly Flag[]): AppliedFact<Order> {
  const { known, factId } = identifySuccess(order, fact);
  const differs = known !== undefined && !sameAmount(known.amount, fact.amount);
  const mismatch = differs || differsFromExpected(order, fact);
  const refunded = fact.refundStatus !== undefined;
  if (known !== undefined) {
    const learned = learnTransaction(order, known, fact.transactionId);
    const next = withRefundStatus(learned, fact.refundStatus);
    const applied = asKnown(factId, next, [...raisedFlags({ mismatch, refunded }), ...flags]);
    return { ...applied, publishedId: publishedSuccessId(order, known, fact) };
  }
  const moved = moveOrder(order, fact.status, paymentDetails(fact));
  const raised = raisedFlags({
    ...attemptRoleFlags(attemptRoleOf(order, traceOf(fact))),
    late: stageOf(order.status) === "ended",
    regressed: moved === order,
    duplicatePayment: order.successes.length > 0,
    mismatch,
    // A query may have returned a refund status before, without the amount that was paid.
    refunded: refunded || order.refundStatus !== undefined,
    unknownOrder: isUnknown(order),
  });
  const paid = { ...moved, successes: [...order.successes, successOf(fact)] };
  const next = withRefundStatus(paid, fact.refundStatus);
  return asNews(factId, withPaymentId(next, fact.paymentId), [...raised, ...flags]);
}

/** The first report may lack the transaction, and a repeat may name it. */
function learnTransaction(order: Order, known: Success, transactionId: string | undefined): Order {
  if (known.transactionId !== undefined || transactionId === undefined) return order;
  const successes = order.successes.map((success) =>
    success === known ? { ...success, transactionId } : success,
  );
  const isPaying = order.successes[0] === known;
  return { ...(isPaying ? withTransaction(order, transactionId) : order), successes };
}

function learnStatement(order: Order, known: Statement, fact: PaymentFact): Order {
  const { transactionId } = fact;
  if (known.transactionId !== undefined || transactionId === undefined) return order;
  const learned = { ...known, transactionId };
  const statements = order.statements.map((statement) =>
    statement === known ? learned : statement,
  );
  const isStatus = known.attempt === undefined && order.status === known.status;
  return { ...(isStatus ? withTransaction(order, transactionId) : order), statements };
}

function withTransaction(order: Order, transactionId: string): Order {
  const isKnown = order.payment.transactionId !== undefined;
  return isKnown ? order : { ...order, payment: { ...order.payment, transactionId } };
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

function attemptRoleFlags(role: AttemptRole): Partial<Record<Flag, boolean>> {
  return { otherAttempt: role === "other", refusedOrder: role === "refused" };
}

/** The order was created elsewhere, so its amount is not known. */
function isUnknown({ expected }: Order): boolean {
  return expected === undefined;
}

function differsFromExpected({ expected }: Order, { amount }: SuccessFact): boolean {
  return expected !== undefined && !sameAmount(expected, amount);
}
