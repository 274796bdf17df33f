import type { ApiCall, MadeOrder } from "../shopper.ts";
import { isPaymentKnown } from "./answers.ts";
import { certainFlags, storedByOrder } from "./certain-flags.ts";
import type { Context } from "./context.ts";
import { differences } from "./differences.ts";
import type { Statement } from "./evidence.ts";
import { expecting, flagsBetween, timeBetween } from "./expect.ts";
import { addedLater, expectedAmount, mayBeOther, newOrder } from "./expected-order.ts";
import { newPayment, type PaymentState, refundedOf, refundsOf } from "./expected-refund.ts";
import { midwayFaults } from "./midway-answers.ts";
import { parseObject } from "./open-envelope.ts";
import { type Replayed, replay } from "./replay.ts";
import { isCreation } from "./requests.ts";
import { excused, type Look, type Rule } from "./rule.ts";
import { lifetimeMilliseconds } from "./sent-requests.ts";

/**
 * Each response has every field that follows from the facts, and no other: the final one exactly, earlier ones as far
 * as is known.
 */
export const answersAreWhole: Rule = (seen) => {
  const replayed = replay(seen);
  const stored = storedByOrder(seen);
  return seen.evidence.orders.map((made): Look => {
    const { orderNo } = made;
    const midway = midwayFaults(made, seen, replayed.context);
    const last = seen.evidence.ending.answers.get(orderNo);
    if (last === undefined) return { ...excused(orderNo, "no final response"), wrong: midway };
    if (last.status !== 200) return { orderNo, wrong: midway };
    const ofOrder = stored.get(orderNo) ?? [];
    const certain = certainFlags(made, ofOrder, replayed.context);
    const { callbackUrl } = seen.evidence;
    const answer = expectedAnswer(made, last, replayed, certain, callbackUrl);
    const named = certainTransaction(made, answer.status, ofOrder, replayed.context);
    const { transactionId } = answer;
    const isNamed = typeof transactionId === "string" || named === undefined;
    const expected = { ...answer, transactionId: isNamed ? transactionId : named };
    const wrong = differences(expected, parseObject(last.answer) ?? {});
    return { orderNo, wrong: [...wrong, ...midway] };
  });
};

/** The only transaction that stored callbacks name with this status. The first report may lack it. */
function certainTransaction(
  made: MadeOrder,
  status: string,
  stored: readonly Statement[],
  context: Context,
): string | undefined {
  const facts = stored.flatMap(({ fact }) => (fact?.status === status ? fact : []));
  const [only, ...others] = new Set(facts.flatMap(({ transactionId }) => transactionId ?? []));
  return others.length > 0 || mayBeOther(made, context) ? undefined : only;
}

function expectedAnswer(
  made: MadeOrder,
  last: ApiCall,
  replayed: Replayed,
  certain: string[],
  callbackUrl: string,
) {
  const { context } = replayed;
  const { orderNo, merchantId, isOurs } = made;
  const order = replayed.orders.get(orderNo) ?? newOrder;
  const paid = new Map(Object.entries(order.payment));
  const calls = context.callsOf(orderNo);
  const isLinked = isPaymentKnown(made, calls, last);
  const [book] = context.booksOf(orderNo);
  const payment = replayed.payments.get(book?.paymentId ?? "") ?? newPayment(book?.paymentId ?? "");
  const currency = isLinked ? made.currency : undefined;
  const [sentFrom, sentUntil] = sentBetween(orderNo, context);
  const flags = [...order.flags, ...(isLinked ? payment.flags : []), ...certain];
  return {
    merchantId,
    orderNo,
    channel: isOurs ? "WEB" : undefined,
    status: order.status,
    statusOrigin: paid.get("origin") ?? "create",
    statusAt: paid.get("learnedAt") ?? (isOurs ? timeBetween(sentFrom, sentUntil) : undefined),
    stale: staleness(order.status),
    outcomeUnknown: expecting(
      "known",
      (found) => found === false || (!isLinked && order.sequence === 0),
    ),
    amount: expectedAmount(made) ?? paid.get("amount"),
    paidAmount: order.status === "success" ? paid.get("amount") : undefined,
    transactionId: paid.get("transactionId"),
    reason: paid.get("reason"),
    paymentId: isLinked ? book?.paymentId : undefined,
    // At the end every order has expired, and nobody can pay it any more.
    checkoutUrl: undefined,
    callbackUrl: isOurs ? callbackUrl : undefined,
    createdAt: paid.get("createdAt") ?? (isOurs ? timeBetween(sentFrom, sentUntil) : undefined),
    completedAt: paid.get("completedAt"),
    expiresAt: isOurs ? expiryBetween(sentFrom, sentUntil) : undefined,
    refunds: isLinked ? refundsOf(payment, currency) : [],
    refundedAmount: isLinked ? refundedOf(payment, currency) : undefined,
    refundStatus: isLinked ? refundStatusOf(payment) : undefined,
    flags: flagsBetween(
      isLinked ? flags.filter((flag) => isOurs && flag !== "unknownOrder") : flags,
      addedLater(made, context),
    ),
    sequence: order.sequence,
    payments: isLinked ? [{ paymentId: book?.paymentId, sequence: payment.sequence }] : [],
  };
}

/** The latest status of a refund. It is not visible from outside which of several refunds came last. */
function refundStatusOf({ refunds }: PaymentState) {
  const statuses = [...refunds.values()].map(({ fact }) => fact.status);
  if (statuses.length === 0) return undefined;
  return expecting(`one of ${statuses.join(", ")}`, (found) => statuses.includes(String(found)));
}

/** When the storefront sent the order, for the first and for the last time. */
function sentBetween(orderNo: string, context: Context): [from: number, until: number] {
  const created = context.callsOf(orderNo).filter(isCreation);
  return [
    Math.min(...created.map(({ atMilliseconds }) => atMilliseconds)),
    Math.max(...created.map(context.overMilliseconds)),
  ];
}

function expiryBetween(sentFrom: number, sentUntil: number) {
  return timeBetween(sentFrom + lifetimeMilliseconds, sentUntil + lifetimeMilliseconds);
}

/** A paid order is settled. Otherwise a response is stale if the service cannot be queried, or if it contradicts. */
function staleness(status: string) {
  return expecting(status === "success" ? "false" : "a boolean", (found) =>
    status === "success" ? found === false : typeof found === "boolean",
  );
}
