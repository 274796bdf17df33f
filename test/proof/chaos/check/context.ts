import type { ApiCall, MadeOrder } from "../shopper.ts";
import { type Amount, amountOf, isMore, isSame, sumOf } from "./amounts.ts";
import {
  groupBy,
  isDuring,
  type LedgerOrder,
  plainId,
  type ServiceAnswer,
  type Statement,
} from "./evidence.ts";
import { type Fact, ranks, refundRanks } from "./facts.ts";
import type { Seen } from "./rule.ts";

/** The evidence, indexed by the names that events and responses use. */
export interface Context {
  readonly orderOf: (orderNo: string | undefined) => MadeOrder | undefined;
  readonly orderOfPayment: (paymentId: string | undefined) => MadeOrder | undefined;
  /** The payments that the service has for an order. */
  readonly booksOf: (orderNo: string) => readonly LedgerOrder[];
  readonly statementsOf: (callbackId: string) => readonly Statement[];
  readonly answersAbout: (orderNo: string) => readonly ServiceAnswer[];
  readonly callsOf: (orderNo: string) => readonly ApiCall[];
  /** Since when the stack certainly knows the order's payment: a response has it. */
  readonly linkedMilliseconds: (orderNo: string) => number;
  /** When the functions that served a call have certainly ended, including clock jumps during the call. */
  readonly overMilliseconds: (call: Times) => number;
  /** Whether different content arrived with the id of one of its callbacks. */
  readonly hasConflict: (orderNo: string) => boolean;
  /** The transactions that were reported with a status of an order. */
  readonly transactionsOf: (orderNo: string, status: string) => readonly string[];
  /** Whether a payment was reported with another amount or currency than the order's. */
  readonly hasOtherAmount: (order: MadeOrder) => boolean;
  /** Whether a refund was reported, with whatever result. */
  readonly hasRefund: (orderNo: string) => boolean;
  /** The same, before the stack certainly knew that the order is paid. */
  readonly hasEarlyRefund: (orderNo: string) => boolean;
  /** Whether a refund was reported with two amounts. */
  readonly hasOtherRefund: (orderNo: string) => boolean;
  /** Whether refunds were reported that together exceed the order's amount. */
  readonly hasTooMuchRefunded: (order: MadeOrder) => boolean;
  /** What was paid, if every success that was reported is true. */
  readonly paidOf: (order: MadeOrder) => Amount;
  /** Since when the stack certainly knows that an order is paid: a subscriber has the event. */
  readonly paidMilliseconds: (orderNo: string) => number;
}

type Times = Pick<ApiCall, "atMilliseconds" | "endedMilliseconds">;

/** The longest time limit of a function. */
const functionMilliseconds = 30_000;

export function contextOf({ evidence, statements, serviceAnswers, events }: Seen): Context {
  const orders = new Map(evidence.orders.map((order) => [order.orderNo, order]));
  const books = groupBy(evidence.ledger, ({ orderNo }) => orderNo);
  const payments = new Map(evidence.ledger.map(({ paymentId, orderNo }) => [paymentId, orderNo]));
  const statementsById = groupBy(statements, ({ opened }) => plainId(opened.id));
  const reportsByOrder = groupBy(serviceAnswers, ({ fact }) => fact.orderNo ?? "");
  const calls = groupBy(evidence.calls, ({ orderNo }) => orderNo);
  const statementsByOrder = groupBy(statements, ({ fact }) => {
    return fact?.orderNo ?? payments.get(fact?.paymentId ?? "") ?? "";
  });
  const paidEvents = groupBy(
    events.filter(({ fact }) => fact.status === "success"),
    ({ fact }) => fact.orderNo ?? "",
  );
  const callsOf = (orderNo: string) => calls.get(orderNo) ?? [];
  const factsOf = (orderNo: string, wanted: string) => {
    const answered = (reportsByOrder.get(orderNo) ?? []).map(({ fact }) => fact);
    const stated = (statementsByOrder.get(orderNo) ?? []).flatMap(({ fact }) => fact ?? []);
    return [...answered, ...stated].filter(({ status }) => status === wanted);
  };
  const paidMilliseconds = (orderNo: string) =>
    Math.min(...(paidEvents.get(orderNo) ?? []).map(({ received }) => received.atMilliseconds));
  return {
    orderOf: (orderNo = "") => orders.get(orderNo),
    orderOfPayment: (paymentId = "") => orders.get(payments.get(paymentId) ?? ""),
    booksOf: (orderNo) => books.get(orderNo) ?? [],
    statementsOf: (callbackId) => statementsById.get(plainId(callbackId)) ?? [],
    answersAbout: (orderNo) => reportsByOrder.get(orderNo) ?? [],
    callsOf,
    linkedMilliseconds: (orderNo) => {
      const linked = callsOf(orderNo).filter(({ answer }) => answer.includes('"paymentId"'));
      return Math.min(...linked.map(({ endedMilliseconds }) => endedMilliseconds));
    },
    overMilliseconds: (call) => {
      const passed = evidence.passed.filter((time) => isDuring(time, call));
      const ends = passed.map(({ untilMilliseconds }) => untilMilliseconds);
      return Math.max(call.endedMilliseconds, ...ends) + functionMilliseconds;
    },
    hasConflict: (orderNo) =>
      (statementsByOrder.get(orderNo) ?? []).some(({ opened }) => {
        return contentsOf(statementsById.get(plainId(opened.id)) ?? []).size > 1;
      }),
    transactionsOf: (orderNo, status) =>
      factsOf(orderNo, status).flatMap(({ transactionId }) => transactionId ?? []),
    hasOtherAmount: ({ orderNo, amount, currency }) =>
      ranks
        .flatMap((status) => factsOf(orderNo, status))
        .filter((fact) => fact.amount !== undefined)
        .some((fact) => !isSame(fact.amount, amount) || fact.currency !== currency),
    hasRefund: (orderNo) => refundRanks.some((status) => factsOf(orderNo, status).length > 0),
    hasEarlyRefund: (orderNo) =>
      (statementsByOrder.get(orderNo) ?? []).some(
        ({ fact, post }) =>
          fact?.refundId !== undefined && post.atMilliseconds < paidMilliseconds(orderNo),
      ),
    hasOtherRefund: (orderNo) =>
      refundRanks.some((status) => {
        const same = groupBy(factsOf(orderNo, status), ({ refundId = "" }) => refundId);
        return [...same.values()].some(
          (facts) => new Set(facts.map(({ amount }) => Number(amount))).size > 1,
        );
      }),
    hasTooMuchRefunded: ({ orderNo, amount, currency }) => {
      const refunds = groupBy(factsOf(orderNo, "refund_success"), ({ refundId = "" }) => refundId);
      return isMore(sumOfLargest(refunds, currency), amountOf(amount, currency));
    },
    paidOf: ({ orderNo, currency }) => {
      const successes = factsOf(orderNo, "success");
      const payments = groupBy(successes, ({ transactionId = "" }) => transactionId);
      return sumOfLargest(payments, currency);
    },
    paidMilliseconds,
  };
}

/** Of each group, the largest amount counts. */
function sumOfLargest(groups: ReadonlyMap<string, readonly Fact[]>, currency: string): Amount {
  const largest = [...groups.values()].map((facts) =>
    facts
      .map(({ amount = "0" }) => amountOf(amount, currency))
      .reduce((most, amount) => (isMore(amount, most) ? amount : most)),
  );
  return sumOf(largest, currency);
}

/** What arrived with one callback id. */
export function contentsOf(statements: readonly Statement[]): Set<string> {
  return new Set(statements.map(({ opened }) => JSON.stringify(opened.result)));
}
