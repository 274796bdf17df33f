import type { ApiCall, MadeOrder } from "../shopper.ts";
import { amountOf } from "./amounts.ts";
import { isPaymentKnown } from "./answers.ts";
import { type Context, contentsOf } from "./context.ts";
import { differences } from "./differences.ts";
import { groupBy, plainId, type Statement } from "./evidence.ts";
import { expecting, flagsBetween, timeBetween } from "./expect.ts";
import { addedLater, expectedAmount, newOrder } from "./expected-order.ts";
import { newPayment, refundedOf, refundsOf } from "./expected-refund.ts";
import { midwayFaults } from "./midway-answers.ts";
import { parseObject } from "./open-envelope.ts";
import { type Replayed, replay } from "./replay.ts";
import { creation } from "./requests.ts";
import { excused, type Look, type Rule } from "./rule.ts";
import { storedStatements } from "./stored.ts";

/**
 * Each response has every field that follows from the facts, and no other: the final one exactly, earlier ones as far
 * as is known.
 */
export const answersAreWhole: Rule = (seen) => {
  const replayed = replay(seen);
  const stored = groupBy(storedStatements(seen), ({ fact }) => fact?.orderNo ?? "");
  return seen.evidence.orders.map((made): Look => {
    const { orderNo } = made;
    const midway = midwayFaults(made, seen, replayed.context);
    const last = seen.evidence.ending.answers.get(orderNo);
    if (last === undefined) return { ...excused(orderNo, "no final response"), wrong: midway };
    if (last.status !== 200) return { orderNo, wrong: midway };
    const certain = certainFlags(made, stored.get(orderNo) ?? []);
    const expected = expectedAnswer(made, last, replayed, certain);
    const wrong = differences(expected, parseObject(last.answer) ?? {});
    return { orderNo, wrong: [...wrong, ...wronglySent(made, replayed.context), ...midway] };
  });
};

/** The storefront sends no times, so the customer has half an hour. */
const lifetimeMilliseconds = 30 * 60_000;

function expectedAnswer(made: MadeOrder, last: ApiCall, replayed: Replayed, certain: string[]) {
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
    checkoutUrl: isLinked ? book?.checkoutUrl : undefined,
    callbackUrl: isOurs ? book?.callbackUrl : undefined,
    createdAt: paid.get("createdAt") ?? (isOurs ? timeBetween(sentFrom, sentUntil) : undefined),
    completedAt: paid.get("completedAt"),
    expiresAt: isOurs ? expiryBetween(sentFrom, sentUntil) : undefined,
    refunds: isLinked ? refundsOf(payment, currency) : [],
    refundedAmount: isLinked ? refundedOf(payment, currency) : undefined,
    flags: flagsBetween(
      isLinked ? flags.filter((flag) => isOurs && flag !== "unknownOrder") : flags,
      addedLater(made, context),
    ),
    sequence: order.sequence,
    payments: isLinked ? [{ paymentId: book?.paymentId, sequence: payment.sequence }] : [],
  };
}

/** When the storefront sent the order, for the first and for the last time. */
function sentBetween(orderNo: string, context: Context): [from: number, until: number] {
  const created = context.callsOf(orderNo).filter(({ request }) => request === creation);
  return [
    Math.min(...created.map(({ atMilliseconds }) => atMilliseconds)),
    Math.max(...created.map(context.overMilliseconds)),
  ];
}

function expiryBetween(sentFrom: number, sentUntil: number) {
  return timeBetween(sentFrom + lifetimeMilliseconds, sentUntil + lifetimeMilliseconds);
}

/** What the payment service shows its customer must agree with what the storefront shows. */
function wronglySent({ orderNo, isOurs }: MadeOrder, context: Context): string[] {
  if (!isOurs) return [];
  const expiresAt = expiryBetween(...sentBetween(orderNo, context));
  return context.booksOf(orderNo).flatMap(({ paymentExpiryTimeMilliseconds }) => {
    const sent = new Date(paymentExpiryTimeMilliseconds).toISOString();
    const wrong = differences({ expiresAt }, { expiresAt: sent });
    return wrong.map((difference) => `at the payment service: ${difference}`);
  });
}

/** A paid order is settled. Otherwise a response is stale if the service cannot be queried, or if it contradicts. */
function staleness(status: string) {
  return expecting(status === "success" ? "false" : "a boolean", (found) =>
    status === "success" ? found === false : typeof found === "boolean",
  );
}

/** Flags that stored callbacks must have raised, with or without an event. */
function certainFlags(made: MadeOrder, stored: readonly Statement[]): string[] {
  const readable = stored.filter(({ fact }) => fact !== undefined);
  const byId = groupBy(readable, ({ opened }) => plainId(opened.id));
  const hasConflict = [...byId.values()].some((statements) => contentsOf(statements).size > 1);
  const paid = readable.flatMap(({ fact }) => (fact?.status === "success" ? [fact] : []));
  const amountsOf = groupBy(paid, ({ transactionId }) => transactionId ?? "");
  const differs = [...amountsOf.values()].some((facts) => valuesOf(facts).size > 1);
  const isWrong = made.isOurs && [...valuesOf(paid)].some((value) => value !== textOf(made));
  return [...(hasConflict ? ["conflict"] : []), ...(differs || isWrong ? ["mismatch"] : [])];
}

function valuesOf(
  facts: readonly {
    readonly amount?: string | undefined;
    readonly currency?: string | undefined;
  }[],
) {
  return new Set(facts.map(textOf));
}

function textOf({
  amount = "",
  currency,
}: {
  readonly amount?: string | undefined;
  readonly currency?: string | undefined;
}): string {
  return JSON.stringify(amountOf(amount, currency));
}
