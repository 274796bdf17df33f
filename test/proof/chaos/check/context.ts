import type { ApiCall, MadeOrder } from "../shopper.ts";
import { isSame } from "./amounts.ts";
import {
  groupBy,
  isDuring,
  type LedgerOrder,
  plainId,
  type ServiceAnswer,
  type Statement,
} from "./evidence.ts";
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
  /** Whether a success was reported with another amount than the order's. */
  readonly hasOtherAmount: (order: MadeOrder) => boolean;
}

type Times = Pick<ApiCall, "atMilliseconds" | "endedMilliseconds">;

/** The longest time limit of a function. */
const functionMilliseconds = 30_000;

export function contextOf({ evidence, statements, serviceAnswers }: Seen): Context {
  const orders = new Map(evidence.orders.map((order) => [order.orderNo, order]));
  const books = groupBy(evidence.ledger, ({ orderNo }) => orderNo);
  const payments = new Map(evidence.ledger.map(({ paymentId, orderNo }) => [paymentId, orderNo]));
  const statementsById = groupBy(statements, ({ opened }) => plainId(opened.id));
  const toldByOrder = groupBy(serviceAnswers, ({ fact }) => fact.orderNo ?? "");
  const calls = groupBy(evidence.calls, ({ orderNo }) => orderNo);
  const statementsByOrder = groupBy(statements, ({ fact }) => {
    return fact?.orderNo ?? payments.get(fact?.paymentId ?? "") ?? "";
  });
  const callsOf = (orderNo: string) => calls.get(orderNo) ?? [];
  return {
    orderOf: (orderNo = "") => orders.get(orderNo),
    orderOfPayment: (paymentId = "") => orders.get(payments.get(paymentId) ?? ""),
    booksOf: (orderNo) => books.get(orderNo) ?? [],
    statementsOf: (callbackId) => statementsById.get(plainId(callbackId)) ?? [],
    answersAbout: (orderNo) => toldByOrder.get(orderNo) ?? [],
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
    hasOtherAmount: ({ orderNo, amount }) => {
      const facts = (statementsByOrder.get(orderNo) ?? []).flatMap(({ fact }) => fact ?? []);
      const paid = facts.filter(({ status }) => status === "success");
      return paid.some((fact) => !isSame(fact.amount, amount));
    },
  };
}

/** What arrived with one callback id. */
export function contentsOf(statements: readonly Statement[]): Set<string> {
  return new Set(statements.map(({ opened }) => JSON.stringify(opened.result)));
}
