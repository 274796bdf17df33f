import type { MadeOrder } from "../shopper.ts";
import { amountOf, isMore, sumOf } from "./amounts.ts";
import type { Context } from "./context.ts";
import type { Event } from "./evidence.ts";
import { flagsBetween, textsIn } from "./expect.ts";
import { headOf, statedBy } from "./expected-head.ts";
import { refundRanks } from "./facts.ts";
import type { Source } from "./sources.ts";

/** A payment after some facts of its refunds. */
export interface PaymentState {
  readonly paymentId: string;
  /** By the id of the refund. */
  readonly refunds: ReadonlyMap<string, Source>;
  readonly flags: readonly string[];
  readonly callbackIds: readonly string[];
  readonly isLinked: boolean;
  readonly sequence: number;
}

export function newPayment(paymentId: string): PaymentState {
  return {
    paymentId,
    refunds: new Map(),
    flags: [],
    callbackIds: [],
    isLinked: false,
    sequence: 0,
  };
}

/** The payment after one more fact, and the whole event of it. */
export function applyToPayment(
  before: PaymentState,
  source: Source,
  event: Event,
  made: MadeOrder,
  context: Context,
): { readonly after: PaymentState; readonly expected: object } {
  const { fact } = source;
  const isLinked = isLinkedAt(before, source, event, made, context);
  const currency = isLinked ? made.currency : undefined;
  const known = before.refunds.get(fact.refundId ?? "");
  const isMove = known === undefined || rankOf(fact.status) > rankOf(known.fact.status);
  const refunds = new Map(before.refunds);
  if (isMove) refunds.set(fact.refundId ?? "", source);
  const must = [
    ...(isMove ? [] : ["regressed"]),
    ...(isLinked && isTooMuch(refunds, source, made, context) ? ["mismatch"] : []),
    ...(before.callbackIds.includes(source.callbackId ?? "none") ? ["conflict"] : []),
    ...(isLinked ? [] : ["unknownOrder"]),
  ];
  const may = [
    ...(source.isContradicted ? ["conflict"] : []),
    ...(isLinked && mayExceed(made, context) ? ["mismatch"] : []),
  ];
  // A repeat, or a success that is recorded at the same time, adds these without an event.
  const added = [
    ...(context.hasEarlyRefund(made.orderNo) ? ["refunded"] : []),
    ...(context.hasOtherRefund(made.orderNo) ? ["contradicted"] : []),
  ];
  const found = textsIn(Object(event.body["data"])["flags"]).filter((flag) => may.includes(flag));
  const flags = [...new Set([...before.flags, ...must, ...found])];
  const after: PaymentState = {
    paymentId: before.paymentId,
    refunds,
    flags: isLinked ? flags.filter((flag) => flag !== "unknownOrder") : flags,
    callbackIds: [...before.callbackIds, source.callbackId ?? ""],
    isLinked,
    sequence: before.sequence + 1,
  };
  const orderNo = isLinked ? made.orderNo : undefined;
  const data = {
    ...statedBy(source),
    flags: flagsBetween(must, may),
    paymentId: before.paymentId,
    refundId: fact.refundId,
    refundNo: fact.refundNo,
    orderNo,
    status: fact.status,
    amount: fact.amount === undefined ? undefined : amountOf(fact.amount, currency),
    payment: {
      paymentId: before.paymentId,
      orderNo,
      refunds: refundsOf(after, currency),
      refundedAmount: refundedOf(after, currency),
      flags: flagsBetween(after.flags, [...may, ...added]),
    },
  };
  const head = headOf(source, event, after.sequence, orderNo);
  return {
    after,
    expected: { ...head, dataschema: "urn:paycast:schema:payment-refund-event:1", data },
  };
}

/**
 * Whether the event must name the order, or must not. While create-order runs or after its response was lost, either is
 * right, and the event decides. A payment that is linked stays linked.
 */
function isLinkedAt(
  before: PaymentState,
  { learned }: Source,
  event: Event,
  made: MadeOrder,
  { linkedMilliseconds }: Context,
): boolean {
  if (!made.isOurs) return false;
  const isCertain = before.isLinked || linkedMilliseconds(made.orderNo) < learned[0];
  return isCertain || Object(event.body["data"])["orderNo"] !== undefined;
}

function rankOf(status: string): number {
  return refundRanks.indexOf(status);
}

/** Whether this refund makes the sum larger than what was paid, and Paycast knows what was paid. */
function isTooMuch(
  refunds: PaymentState["refunds"],
  { fact, learned }: Source,
  made: MadeOrder,
  { paidOf, paidMilliseconds }: Context,
): boolean {
  const refunded = sumOf(succeeded(refunds, made.currency), made.currency);
  return (
    fact.status === "refund_success" &&
    paidMilliseconds(made.orderNo) < learned[0] &&
    isMore(refunded, paidOf(made))
  );
}

/** Refunds of an order that timed out or failed do not match it until its success is known. */
function mayExceed(made: MadeOrder, context: Context): boolean {
  if (context.hasTooMuchRefunded(made)) return true;
  const books = context.booksOf(made.orderNo);
  return books.some(({ callbacks }) =>
    callbacks.some(({ eventName }) => /order\.(timeout|failed)$/.test(eventName)),
  );
}

/** Sorted by id. */
export function refundsOf({ paymentId, refunds }: PaymentState, currency: string | undefined) {
  const sorted = [...refunds.values()].sort((left, right) =>
    (left.fact.refundId ?? "") < (right.fact.refundId ?? "") ? -1 : 1,
  );
  return sorted.map(({ fact }) => ({
    refundId: fact.refundId,
    paymentId,
    refundNo: fact.refundNo,
    status: fact.status,
    amount: fact.amount === undefined ? undefined : amountOf(fact.amount, currency),
    transactionId: fact.transactionId,
    reason: fact.reason,
    createdAt: fact.createdAt,
    completedAt: fact.completedAt,
  }));
}

/** The sum of the refunds that succeeded. The currency of a payment without an order is unknown. */
export function refundedOf(payment: PaymentState, currency: string | undefined) {
  return currency === undefined ? undefined : sumOf(succeeded(payment.refunds, currency), currency);
}

function succeeded(refunds: PaymentState["refunds"], currency: string) {
  const done = [...refunds.values()].filter(({ fact }) => fact.status === "refund_success");
  return done.flatMap(({ fact }) =>
    fact.amount === undefined ? [] : amountOf(fact.amount, currency),
  );
}
