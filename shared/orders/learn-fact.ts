import { returnsMoney } from "../facts/event-types.ts";
import type { PaymentFact, SuccessFact } from "../facts/fact.ts";
import { type Flag, raisedFlags } from "../facts/flags.ts";
import { type Amount, sameAmount } from "../money/amount.ts";
import { toldByCallback, withRefundAnswer } from "./known-refunds.ts";
import type { Order, Statement, Success } from "./order.ts";
import type { Payment } from "./payment.ts";

/** What a further report of a known fact adds to the order, and the flags that it raises. */
interface Learned {
  readonly learned: Order;
  readonly raised: readonly Flag[];
}

export function learnSuccess(
  order: Order,
  known: Success,
  fact: SuccessFact,
  payments: readonly Payment[],
): Learned {
  const { refundStatus, learnedAtMilliseconds } = fact;
  const contradicted = differs(known.amount, fact.amount);
  const raised = raisedFlags({
    // One notice is enough: either the published amount is the order's, or it was flagged then.
    mismatch: !contradicted && differsFromExpected(order, fact),
    contradicted,
    // A refund that a callback told is nothing unusual.
    refunded:
      refundStatus !== undefined && returnsMoney(refundStatus) && !toldByCallback(order, payments),
  });
  const detailed = learnSuccessDetails(order, known, fact);
  const learned = withRefundAnswer(detailed, payments, refundStatus, learnedAtMilliseconds);
  return { learned, raised };
}

/** The same for a fact without money. */
export function learnStatement(order: Order, known: Statement, fact: PaymentFact): Learned {
  const contradicted = differs(known.amount, fact.amount);
  const raised = raisedFlags({
    contradicted,
    mismatch: !contradicted && asksForOther(order, fact),
  });
  return { learned: learnStatementDetails(order, known, fact), raised };
}

function learnSuccessDetails(order: Order, known: Success, fact: SuccessFact): Order {
  const learned = withDetails(known, fact);
  if (learned === known) return order;
  const successes = order.successes.map((success) => (success === known ? learned : success));
  const isPaying = order.successes[0] === known;
  return { ...(isPaying ? learnPayment(order, fact) : order), successes };
}

function learnStatementDetails(order: Order, known: Statement, fact: PaymentFact): Order {
  const learned = withDetails(known, fact);
  if (learned === known) return order;
  const statements = order.statements.map((stated) => (stated === known ? learned : stated));
  const isStatus = known.attempt === undefined && order.status === known.status;
  return { ...(isStatus ? learnPayment(order, fact) : order), statements };
}

function learnPayment(order: Order, fact: PaymentFact): Order {
  return { ...order, payment: withDetails(order.payment, fact) };
}

type Details = Pick<PaymentFact, "transactionId" | "amount">;

/** The first report may lack details that a repeat names. The identical object if it lacks none of them. */
function withDetails<Known extends Details>(known: Known, fact: Details): Known {
  const { transactionId = fact.transactionId, amount = fact.amount } = known;
  const isSame = transactionId === known.transactionId && amount === known.amount;
  return isSame ? known : { ...known, transactionId, amount };
}

/** The consumer pays the amount of `confirming`. Of an order that ended unpaid, no amount counts. */
export function asksForOther(order: Order, fact: PaymentFact): boolean {
  return fact.status === "confirming" && differsFromExpected(order, fact);
}

export function differsFromExpected({ expected }: Order, { amount }: PaymentFact): boolean {
  return differs(expected, amount);
}

/** An amount that is not known differs from none. */
function differs(left: Amount | undefined, right: Amount | undefined): boolean {
  return left !== undefined && right !== undefined && !sameAmount(left, right);
}
