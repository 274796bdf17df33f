import type { ApiCall, MadeOrder } from "../shopper.ts";
import { isSame, thousandths } from "./amounts.ts";
import { decimalOf, type Evidence, groupBy, ofTeamWithAll } from "./evidence.ts";
import { type Fact, highest, ranks, refundRanks } from "./facts.ts";
import { type JsonObject, parseObject } from "./open-envelope.ts";
import { creation } from "./requests.ts";
import { excused, type Look, type Rule } from "./rule.ts";
import { storedStatements } from "./stored.ts";

/** What Paycast received about an order. */
interface OrderEvidence {
  readonly facts: readonly Fact[];
  readonly refunds: readonly Fact[];
  /** Whether an unreadable callback names the order. The answer says so of an order that was not created here. */
  readonly isNamed: boolean;
  readonly isOurs: boolean;
  /** A query returned news, so the amount in the service's records is allowed too. */
  readonly isAsked: boolean;
  /** Whether Paycast knows the payment, so that it can query it and link its refunds to the order. */
  readonly isPaymentKnown: boolean;
}

/** Status, paid and refunded amounts of each order, from what Paycast received and from the service's records. */
export const ordersAreRight: Rule = (seen) => {
  const { evidence, events } = seen;
  const known = storedStatements(seen);
  const facts = known.flatMap(({ fact }) => fact ?? []);
  const byOrder = groupBy(facts, ({ merchantId, orderNo }) => `${merchantId}/${orderNo}`);
  const byPayment = groupBy(facts, ({ paymentId }) => paymentId ?? "");
  const callsOf = groupBy(evidence.calls, ({ orderNo }) => orderNo);
  const unreadable = known.filter(({ fact }) => fact === undefined);
  const named = new Set(unreadable.map(({ opened }) => opened.result?.["referOrderNo"]));
  const asked = new Set(
    events.filter(({ origin }) => origin === "query").map(({ fact }) => fact.orderNo),
  );
  return evidence.orders.map((order): Look => {
    const { orderNo, merchantId } = order;
    const book = evidence.ledger.find((ledgerOrder) => ledgerOrder.orderNo === orderNo);
    const calls = callsOf.get(orderNo) ?? [];
    const last = evidence.ending.answers.get(orderNo);
    const known = {
      facts: byOrder.get(`${merchantId}/${orderNo}`) ?? [],
      refunds: byPayment.get(book?.paymentId ?? "none") ?? [],
      isNamed: named.has(orderNo),
      isOurs: order.isOurs,
      isAsked: asked.has(orderNo),
      isPaymentKnown: isPaymentKnown(order, calls, last),
    };
    const steps = stepsBack(calls);
    if (book === undefined)
      return steps.length > 0
        ? { orderNo, wrong: steps }
        : excused(orderNo, "the payment service never received it");
    if (evidence.ending.unsettled.has(orderNo))
      return { ...excused(orderNo, "no final response"), wrong: steps };
    return { orderNo, wrong: [...faultsOf(book, known, last), ...steps] };
  });
};

/**
 * False if create-order ended before it stored the service's response, and a callback arrived before the order was sent
 * again. Paycast then no longer sends the order, and the caller gets `order-exists`.
 */
export function isPaymentKnown(
  { isOurs }: MadeOrder,
  calls: readonly ApiCall[],
  last: ApiCall | undefined,
): boolean {
  // A repeat of an order that has ended is 200 even if its payment is not known.
  const isCreated = calls.some(
    ({ request, answer }) =>
      request === creation && parseObject(answer)?.["paymentId"] !== undefined,
  );
  const isShown = parseObject(last?.answer ?? "")?.["paymentId"] !== undefined;
  const isRefused = calls.some(({ answer }) => answer.includes("problem:order-exists"));
  return isOurs && (isCreated || isShown || !isRefused);
}

function faultsOf(
  book: Evidence["ledger"][number],
  known: OrderEvidence,
  last: ApiCall | undefined,
): string[] {
  const statuses = [
    ...known.facts.map(({ status }) => status),
    ...(known.isPaymentKnown ? [book.status] : []),
    ...(known.isNamed && known.isOurs ? ["pending"] : []),
  ];
  const expected = highest(ranks, statuses);
  if (expected === undefined) return unknownFaults(known, last);
  const answer = parseObject(last?.answer ?? "") ?? {};
  return [
    ...(answer["status"] === expected
      ? []
      : [`the status is ${answer["status"]}, not ${expected}`]),
    ...(expected === "success" ? paidFaults(answer, book.amount, known) : []),
    ...(known.isPaymentKnown ? refundFaults(answer, known.refunds) : []),
  ];
}

/** Nothing that Paycast could read is about the order, and it was not created here. */
function unknownFaults({ isNamed }: OrderEvidence, last: ApiCall | undefined): string[] {
  if (last?.status !== 404) {
    return [`nothing was reported about it, but the response is ${last?.status}`];
  }
  const saysNamed = last.answer.includes("A callback of the payment service names it");
  if (saysNamed === isNamed) return [];
  return [`the response ${saysNamed ? "names" : "does not name"} a callback that cannot be read`];
}

function paidFaults(
  answer: JsonObject,
  ofBook: string,
  { facts, isAsked }: OrderEvidence,
): string[] {
  const paid = facts.filter(({ status }) => status === "success").map(({ amount }) => amount);
  const possible = [...paid, ...(isAsked || paid.length === 0 ? [ofBook] : [])];
  const paidAmount = decimalOf(answer["paidAmount"]);
  if (possible.some((amount) => isSame(amount, paidAmount))) return [];
  return [`the paid amount is ${paidAmount}, not ${possible.join(" or ")}`];
}

function refundFaults(answer: JsonObject, facts: readonly Fact[]): string[] {
  const refunds = [...groupBy(facts, ({ refundId }) => refundId ?? "").values()];
  const statusOf = (ofRefund: Fact[]) =>
    highest(
      refundRanks,
      ofRefund.map(({ status }) => status),
    );
  const expected = refunds
    .filter((ofRefund) => statusOf(ofRefund) === "refund_success")
    .map((ofRefund) => thousandths(ofRefund.find(({ amount }) => amount)?.amount))
    .reduce((sum, amount) => sum + amount, 0n);
  const refunded = decimalOf(answer["refundedAmount"]);
  if (thousandths(refunded) === expected) return [];
  return [`the refunded amount is ${refunded}, not ${expected} thousandths`];
}

/**
 * A client never reads a lower status than before, unless the response is marked as stale: a response has the news of a
 * query before the news is stored.
 */
function stepsBack(calls: readonly ApiCall[]): string[] {
  const read = calls
    .filter(({ request, status }) => request.startsWith("GET") && status === 200)
    .map((call) => ({ ...call, body: parseObject(call.answer) ?? {} }))
    .filter(({ body }) => body["stale"] === false)
    .map((call) => ({ ...call, rank: ranks.indexOf(String(call.body["status"])) }));
  return read.flatMap((later) => {
    const before = read.filter((answer) => answer.endedMilliseconds < later.atMilliseconds);
    const rank = Math.max(...before.map((answer) => answer.rank));
    return later.rank >= rank ? [] : [`it was ${ranks[rank]}, and later ${ranks[later.rank]}`];
  });
}

const unsent = /"state": ?"(waiting|given-up)"/;

/** The events have what a response says about an order: its status, and as many facts as its sequence counts. */
export const answersArePublished: Rule = ({ evidence, events }) => {
  const payments = ofTeamWithAll(evidence, events).filter(
    ({ fact }) => fact.refundId === undefined,
  );
  const byOrder = groupBy(payments, ({ fact }) => `${fact.merchantId}/${fact.orderNo}`);
  const { listedOrders } = evidence.ending;
  return evidence.orders.map(({ orderNo, merchantId }): Look => {
    if (evidence.ending.unsettled.has(orderNo)) return excused(orderNo, "no final response");
    const answer = parseObject(evidence.ending.answers.get(orderNo)?.answer ?? "") ?? {};
    const mine = byOrder.get(`${merchantId}/${orderNo}`) ?? [];
    const ids = new Set(mine.map(({ id }) => id));
    const count = ids.size;
    const status = String(answer["status"]);
    const isReported = mine.some(({ fact }) => fact.status === status);
    const isRight = isReported || !ranks.slice(1).includes(status);
    const message = `the response is ${status} with sequence ${answer["sequence"]}, after ${count} events`;
    const lines = listedOrders.filter(
      (line) => line.orderNo === orderNo && line.merchantId === merchantId,
    );
    const isListed = evidence.ending.answers.get(orderNo)?.status === 200;
    const recorded = evidence.ending.recorded.get(orderNo);
    const [waits] = unsent.exec(evidence.ending.timelines.get(orderNo) ?? "") ?? [];
    return {
      orderNo,
      wrong: [
        ...(isRight && (answer["sequence"] ?? 0) === count ? [] : [message]),
        ...(waits ? [`its timeline has ${waits} for an event`] : []),
        ...(recorded === undefined || [...ids].every((id) => recorded.includes(id))
          ? []
          : ["after nine days its timeline does not have each of its events"]),
        ...(isListed && lines.length !== 1
          ? [`it is ${lines.length} times in the list of orders`]
          : []),
      ],
    };
  });
};
