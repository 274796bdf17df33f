import type { ApiCall, MadeOrder } from "../shopper.ts";
import { groupBy, type Seen } from "./deliveries.ts";
import {
  type Evidence,
  type Fact,
  isAcknowledged,
  isSameAmount,
  type RuleResult,
  sumOf,
  type Violation,
} from "./evidence.ts";
import { parseObject } from "./open-envelope.ts";

const ranks = ["pending", "confirming", "timeout", "failed", "success"];
const refundRanks = ["refunding", "refund_failed", "refund_success"];

/** Status, paid and refunded amounts of each order, by what was told and what the service's books say. */
export function ordersAreRight(seen: Seen): RuleResult {
  const { evidence, statements, events } = seen;
  const known = statements.flatMap(({ post, fact }) =>
    fact && isAcknowledged(post) ? [fact] : [],
  );
  const byOrder = groupBy(known, ({ merchantId, orderNo }) => `${merchantId}/${orderNo}`);
  const byPayment = groupBy(known, ({ paymentId }) => paymentId ?? "");
  const callsOf = groupBy(evidence.calls, ({ orderNo }) => orderNo);
  const unreadable = statements.filter(({ post, fact }) => !fact && isAcknowledged(post));
  const named = new Set(unreadable.map(({ opened }) => opened.result?.["referOrderNo"]));
  const asked = new Set(events.map(({ origin, fact }) => origin === "query" && fact.orderNo));
  const violations = evidence.orders.flatMap((order) => {
    const facts = byOrder.get(`${order.merchantId}/${order.orderNo}`) ?? [];
    const [isNamed, isAsked] = [named.has(order.orderNo), asked.has(order.orderNo)];
    const found = [
      ...faultsOf(evidence, order, { facts, byPayment, isNamed, isAsked }),
      ...stepsBack(callsOf.get(order.orderNo) ?? []),
    ];
    return found.map((message): Violation => ({ message, orderNo: order.orderNo }));
  });
  return {
    rule: "orders with a wrong status or amount",
    checked: evidence.orders.length,
    violations,
  };
}

interface Told {
  readonly facts: readonly Fact[];
  readonly byPayment: ReadonlyMap<string, readonly Fact[]>;
  /** Whether a callback that nobody can read names the order: then the order exists. */
  readonly isNamed: boolean;
  /** Whether the service was asked, and told something new: then the amount of its books may count. */
  readonly isAsked: boolean;
}

function faultsOf(
  { ledger, ending }: Evidence,
  order: MadeOrder,
  { facts, byPayment, isNamed, isAsked }: Told,
): string[] {
  const book = ledger.find(({ orderNo }) => orderNo === order.orderNo);
  const call = ending.answers.get(order.orderNo);
  const answer = parseObject(call?.answer ?? "") ?? {};
  if (book === undefined) return [];
  // Paycast can ask only about payments that it made, or that a query named.
  const statuses = [
    ...facts.map(({ status }) => status),
    ...(order.isOurs ? [book.status] : []),
    ...(isNamed ? ["pending"] : []),
  ];
  const expected = highest(ranks, statuses);
  if (expected === undefined) {
    return call?.status === 404
      ? []
      : [`nothing was told of it, but the answer is ${call?.status}`];
  }
  const faults: string[] = [];
  if (answer["status"] !== expected) {
    faults.push(`the status is ${String(answer["status"])}, not ${expected}`);
  }
  const paid = facts.filter(({ status }) => status === "success").map(({ amount }) => amount);
  const possible = [...paid, ...(isAsked || paid.length === 0 ? [book.amount] : [])];
  const paidAmount = decimalOf(answer["paidAmount"]);
  if (expected === "success" && !possible.some((one) => isSameAmount(one, paidAmount))) {
    faults.push(`the paid amount is ${paidAmount}, not ${possible.join(" or ")}`);
  }
  const refunds = refundedSum(byPayment.get(book.paymentId) ?? []);
  const refunded = decimalOf(answer["refundedAmount"]) ?? "0";
  if (order.isOurs && !isSameAmount(refunds, refunded) && Number(refunds) + Number(refunded) > 0) {
    faults.push(`the refunded amount is ${refunded}, not ${refunds}`);
  }
  return faults;
}

/**
 * Whoever has read a status never reads a lower one afterwards, unless the answer says of itself that it is stale: news
 * that a question brought is told at once, and stored a moment later.
 */
function stepsBack(calls: readonly ApiCall[]): string[] {
  const read = calls
    .filter(({ request, status }) => request.startsWith("GET") && status === 200)
    .map((call) => ({ ...call, told: parseObject(call.answer) ?? {} }))
    .filter(({ told }) => told["stale"] === false)
    .map((call) => ({ ...call, reached: String(call.told["status"]) }))
    .toSorted((left, right) => left.endedMilliseconds - right.endedMilliseconds);
  return read.flatMap((later, index) => {
    const before = read
      .slice(0, index)
      .filter((one) => one.endedMilliseconds < later.atMilliseconds);
    const highestBefore = highest(
      ranks,
      before.map(({ reached }) => reached),
    );
    if (
      highestBefore === undefined ||
      ranks.indexOf(later.reached) >= ranks.indexOf(highestBefore)
    ) {
      return [];
    }
    return [`it was ${highestBefore}, and later read as ${later.reached}`];
  });
}

const unsent = /"state": ?"(waiting|given-up)"/;

/** What an answer tells of an order is in the events: its status, and as many facts as its sequence counts. */
export function answersArePublished({ evidence, events }: Seen): RuleResult {
  const all = evidence.subscribers.find(({ types }) => types.includes("*"))?.name;
  const payments = events.filter(
    ({ received, fact }) => received.subscriber === all && fact.refundId === undefined,
  );
  const byOrder = groupBy(payments, ({ fact }) => `${fact.merchantId}/${fact.orderNo}`);
  const violations = evidence.orders.flatMap(({ orderNo, merchantId }): Violation[] => {
    const answer = parseObject(evidence.ending.answers.get(orderNo)?.answer ?? "") ?? {};
    const mine = byOrder.get(`${merchantId}/${orderNo}`) ?? [];
    const count = new Set(mine.map(({ id }) => id)).size;
    const status = String(answer["status"]);
    const isTold =
      !ranks.slice(1).includes(status) || mine.some(({ fact }) => fact.status === status);
    const isRight = isTold && (answer["sequence"] ?? 0) === count;
    const message = `the answer is ${status} with sequence ${answer["sequence"]}, after ${count} events`;
    const [waits] = unsent.exec(evidence.ending.timelines.get(orderNo) ?? "") ?? [];
    return [
      ...(isRight ? [] : [{ message, orderNo }]),
      ...(waits ? [{ message: `its timeline has ${waits} for an event`, orderNo }] : []),
    ];
  });
  const checked = evidence.orders.length;
  return { rule: "answers that the events do not bear out", checked, violations };
}

function refundedSum(facts: readonly Fact[]): string {
  const refunds = [...groupBy(facts, ({ refundId }) => refundId ?? "").values()];
  const done = refunds.filter(
    (group) =>
      highest(
        refundRanks,
        group.map(({ status }) => status),
      ) === "refund_success",
  );
  return sumOf(done.map((group) => group.find(({ amount }) => amount)?.amount ?? "0"));
}

function highest(order: readonly string[], found: readonly string[]): string | undefined {
  return order.findLast((one) => found.includes(one));
}

function decimalOf(amount: unknown): string | undefined {
  return (amount as { readonly value?: string } | undefined)?.value;
}
