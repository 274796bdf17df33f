import { isRefunded } from "../facts/event-types.ts";
import { type RefundFact, refundFactId } from "../facts/fact.ts";
import { type Flag, raisedFlags } from "../facts/flags.ts";
import { optionalRfc3339, toRfc3339 } from "../time/timestamp.ts";
import { type AppliedFact, asKnown, asNews } from "./applied-fact.ts";
import { refundsContradict } from "./check-refunds.ts";
import { later } from "./known-refunds.ts";
import { isRefundMoveUp } from "./move-status.ts";
import type { Order } from "./order.ts";
import { inOrderCurrency, type Payment } from "./payment.ts";
import type { Refund } from "./schemas.ts";

/**
 * Decides what a refund fact does to its payment. `order` is the order that the payment is linked to, if known. `noted`
 * are flags that come from how the fact arrived.
 */
export function applyRefundFact(
  payment: Payment,
  fact: RefundFact,
  order?: Order,
  noted: readonly Flag[] = [],
): AppliedFact<Payment> {
  const factId = refundFactId(fact);
  const flags = [...fact.noted, ...noted];
  if (payment.facts[factId] !== undefined) return applyKnown(payment, fact, factId, flags);
  const known = payment.refunds[fact.refundId];
  const isMove = known === undefined || isRefundMoveUp(known.status, fact.status);
  const { amount, readable } = inOrderCurrency(payment, fact.amount);
  const refund = refundOf(fact, known, amount);
  // Only a success moves money. The sum of all successes is compared with what was paid.
  const isSuccess = isRefunded(fact.status);
  const next = isMove ? withReport(withRefund(payment, refund), fact) : payment;
  const raised = raisedFlags({
    regressed: !isMove,
    mismatch: isSuccess && (!readable || (order !== undefined && refundsContradict(next, order))),
    unknownOrder: payment.order === undefined,
  });
  return asNews(factId, next, [...raised, ...flags]);
}

/** The fact was published before. The repeat may add its transaction. Another amount contradicts it. */
function applyKnown(
  payment: Payment,
  fact: RefundFact,
  factId: string,
  flags: readonly Flag[],
): AppliedFact<Payment> {
  const known = payment.refunds[fact.refundId];
  if (known === undefined) return asKnown(factId, payment, flags);
  const { amount } = inOrderCurrency(payment, fact.amount);
  const contradicted =
    known.status === fact.status &&
    known.amount !== undefined &&
    amount !== undefined &&
    known.amount.value !== amount.value;
  const isNew = known.transactionId === undefined && fact.transactionId !== undefined;
  const learned = isNew
    ? withRefund(payment, { ...known, transactionId: fact.transactionId })
    : payment;
  return asKnown(factId, learned, [...raisedFlags({ contradicted }), ...flags]);
}

function withRefund(payment: Payment, refund: Refund): Payment {
  return { ...payment, refunds: { ...payment.refunds, [refund.refundId]: refund } };
}

function withReport(payment: Payment, { status, learnedAtMilliseconds }: RefundFact): Payment {
  const report = { status, learnedAt: toRfc3339(learnedAtMilliseconds) };
  return { ...payment, refundReport: later(payment.refundReport, report) };
}

/** Keeps details of an earlier fact that this one does not repeat. */
function refundOf(fact: RefundFact, known: Refund | undefined, amount: Refund["amount"]): Refund {
  return {
    refundId: fact.refundId,
    paymentId: fact.paymentId,
    refundNo: fact.refundNo ?? known?.refundNo,
    transactionId: fact.transactionId ?? known?.transactionId,
    status: fact.status,
    amount: amount ?? known?.amount,
    reason: fact.reason,
    createdAt: optionalRfc3339(fact.createdAtMilliseconds) ?? known?.createdAt,
    completedAt: optionalRfc3339(fact.completedAtMilliseconds),
  };
}
