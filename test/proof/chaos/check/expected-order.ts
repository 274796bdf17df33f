import type { MadeOrder } from "../shopper.ts";
import { amountOf, isSame } from "./amounts.ts";
import type { Context } from "./context.ts";
import type { Event } from "./evidence.ts";
import { expecting, flagsBetween, textsIn, timeBetween } from "./expect.ts";
import { headOf, statedBy } from "./expected-head.ts";
import { ranks } from "./facts.ts";
import { creation } from "./requests.ts";
import type { Source } from "./sources.ts";

/** An order after some of its facts. */
export interface OrderState {
  readonly status: string;
  /** The fact that gave it its status. */
  readonly payment: object;
  readonly flags: readonly string[];
  readonly successes: number;
  readonly callbackIds: readonly string[];
  readonly sequence: number;
}

export const newOrder: OrderState = {
  status: "pending",
  payment: {},
  flags: [],
  successes: 0,
  callbackIds: [],
  sequence: 0,
};

/** The order after one more fact, and the whole event of it. */
export function applyToOrder(
  before: OrderState,
  source: Source,
  event: Event,
  made: MadeOrder,
  context: Context,
): { readonly after: OrderState; readonly expected: object } {
  const { must, may, isOther } = flagsOf(before, source, event, made, context);
  const { fact } = source;
  const isMove = ranks.indexOf(fact.status) > ranks.indexOf(before.status);
  const moves = isMove && (!isOther || fact.status === "success");
  const found = flagsIn(event).filter((flag) => must.includes(flag) || may.includes(flag));
  const flags = [...new Set([...before.flags, ...must, ...found])];
  const after = {
    status: moves ? fact.status : before.status,
    payment: moves ? detailsOf(source, made, context) : before.payment,
    flags,
    successes: before.successes + (fact.status === "success" ? 1 : 0),
    callbackIds: [...before.callbackIds, source.callbackId ?? ""],
    sequence: before.sequence + 1,
  };
  const data = {
    ...statedBy(source),
    flags: flagsBetween(must, may),
    orderNo: made.orderNo,
    paymentId: source.origin === "query" ? fact.paymentId : undefined,
    status: fact.status,
    amount: fact.amount === undefined ? undefined : amountOf(fact.amount, fact.currency),
    order: {
      orderNo: made.orderNo,
      status: after.status,
      expectedAmount: expectedAmount(made),
      payment: after.payment,
      paymentIds: paymentIdsOf(source, made, context),
      flags: flagsBetween(flags, addedLater(made, context)),
    },
  };
  const head = headOf(source, event, after.sequence, made.orderNo);
  return {
    after,
    expected: { ...head, dataschema: "urn:paycast:schema:payment-order-event:1", data },
  };
}

export function expectedAmount({ isOurs, amount, currency }: MadeOrder) {
  return isOurs ? amountOf(amount, currency) : undefined;
}

function flagsIn({ body }: Event): string[] {
  return textsIn(Object(body["data"])["flags"]);
}

/** The flags of a fact. `may` has those that depend on an order of events that is not visible from outside. */
function flagsOf(
  before: OrderState,
  { fact, callbackId, isContradicted }: Source,
  event: Event,
  made: MadeOrder,
  context: Context,
) {
  const isSuccess = fact.status === "success";
  const isPaying = isSuccess || (fact.status === "confirming" && fact.amount !== undefined);
  const isOther = mayBeOther(made, context) && flagsIn(event).includes("otherAttempt");
  const isHigher = ranks.indexOf(fact.status) > ranks.indexOf(before.status);
  const isRepeatedId = before.callbackIds.includes(callbackId ?? "none");
  const raised = {
    late: isSuccess && ["timeout", "failed"].includes(before.status),
    regressed: !isHigher && (isSuccess || !isOther),
    duplicatePayment: isSuccess && before.successes > 0,
    mismatch: isPaying && made.isOurs && !isExpected(made, fact),
    conflict: isRepeatedId && isContradicted,
    unknownOrder: !made.isOurs,
    otherAttempt: isOther,
  };
  const must = Object.entries(raised).flatMap(([flag, isRaised]) => (isRaised ? [flag] : []));
  const may = [
    ...(isContradicted ? ["conflict"] : []),
    ...(isSuccess && context.hasTooMuchRefunded(made) ? ["mismatch"] : []),
    ...(context.hasEarlyRefund(made.orderNo) ? [isSuccess ? "refunded" : "mismatch"] : []),
  ];
  return { must, may, isOther };
}

function isExpected({ amount, currency }: MadeOrder, fact: Source["fact"]): boolean {
  return isSame(fact.amount, amount) && fact.currency === currency;
}

/** A client that sends an order again after a lost response makes a second attempt. The first one may be paid. */
export function mayBeOther({ orderNo }: MadeOrder, { callsOf }: Context): boolean {
  return callsOf(orderNo).filter(({ request }) => request === creation).length > 1;
}

/** Flags that a repeat of a fact or a late link adds to the order, without an event of its own. */
export function addedLater(made: MadeOrder, context: Context): string[] {
  return [
    ...(context.hasConflict(made.orderNo) ? ["conflict"] : []),
    ...(context.hasOtherAmount(made) ? ["mismatch", "contradicted"] : []),
    // An order that was not paid when its refund was reported is a mismatch.
    ...(context.hasEarlyRefund(made.orderNo) ? ["mismatch", "refunded"] : []),
    ...(context.hasOtherRefund(made.orderNo) ? ["contradicted"] : []),
  ];
}

function detailsOf({ fact, origin, learned }: Source, made: MadeOrder, context: Context): object {
  const named = context.transactionsOf(made.orderNo, fact.status);
  return {
    transactionId: fact.transactionId ?? oneLaterNamed(named),
    reason: fact.reason,
    createdAt: fact.createdAt,
    completedAt: fact.completedAt,
    amount: fact.amount === undefined ? undefined : amountOf(fact.amount, fact.currency),
    origin,
    learnedAt: timeBetween(...learned),
  };
}

/** A report may lack the transaction, and a repeat may name it. The order then has it, without a further event. */
function oneLaterNamed(named: readonly string[]) {
  if (named.length === 0) return undefined;
  return expecting(`absent or one of ${named.join(", ")}`, (found) => {
    return found === undefined || named.includes(String(found));
  });
}

/** Payments that the service returned for the order and that are certainly known by then, without foreign ones. */
function paymentIdsOf({ fact, learned }: Source, made: MadeOrder, context: Context) {
  const own = made.isOurs ? context.booksOf(made.orderNo).map(({ paymentId }) => paymentId) : [];
  const isLinked = made.isOurs && context.linkedMilliseconds(made.orderNo) < learned[0];
  return expecting(`${isLinked ? "some" : "any"} of ${own.join(", ")}`, (found) => {
    const ids = textsIn(found);
    const isNamed = fact.paymentId === undefined || ids.includes(fact.paymentId);
    return ids.every((id) => own.includes(id)) && isNamed && (!isLinked || ids.length > 0);
  });
}
