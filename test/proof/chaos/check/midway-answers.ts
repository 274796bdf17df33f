import type { ApiCall, MadeOrder } from "../shopper.ts";
import { amountOf } from "./amounts.ts";
import type { Context } from "./context.ts";
import { differences } from "./differences.ts";
import { expecting } from "./expect.ts";
import { expectedAmount } from "./expected-order.ts";
import type { Fact } from "./facts.ts";
import { outdatedAnswers, outlivedRejections } from "./fresh-answers.ts";
import { parseObject } from "./open-envelope.ts";
import { creation, otherCreation } from "./requests.ts";
import type { Seen } from "./rule.ts";

/** Faults of a response during the run that do not depend on what was known by then. */
export function midwayFaults(made: MadeOrder, seen: Seen, context: Context): string[] {
  const { orderNo } = made;
  const reported = context.answersAbout(orderNo);
  const stated = seen.statements.filter(({ fact }) => fact?.orderNo === orderNo);
  const facts = [
    ...stated.flatMap(({ fact }) => fact ?? []),
    ...reported.map(({ fact }) => fact).filter((fact) => fact.orderNo === orderNo),
  ];
  const calls = context.callsOf(orderNo);
  const answered = calls.filter(({ status = 0 }) => status === 200 || status === 201);
  return [
    ...answered.flatMap((call) => fixedFaults(call, made, facts, context)),
    ...vanished(made, calls, seen),
    ...outlivedClaims(calls, context),
    ...wronglyCompared(calls),
    ...outdatedAnswers(calls, reported, stated, seen.evidence),
    ...outlivedRejections(calls, seen.evidence),
  ];
}

/** The fields that never change, and amounts and transactions that the service has. */
function fixedFaults(call: ApiCall, made: MadeOrder, facts: readonly Fact[], context: Context) {
  const answer = parseObject(call.answer) ?? {};
  const books = made.isOurs ? context.booksOf(made.orderNo) : [];
  const paid = facts.filter(({ status }) => status === "success");
  const amounts = paid.map(({ amount = "", currency }) => amountOf(amount, currency));
  const expected = {
    merchantId: made.merchantId,
    orderNo: made.orderNo,
    channel: made.isOurs ? "WEB" : undefined,
    callbackUrl: books[0]?.callbackUrl,
    amount: expectedAmount(made) ?? answer["amount"],
    paymentId: absentOr(books.map(({ paymentId }) => paymentId)),
    checkoutUrl: absentOr(books.map(({ checkoutUrl }) => checkoutUrl)),
    transactionId: absentOr(facts.flatMap(({ transactionId }) => transactionId ?? [])),
    paidAmount: answer["status"] === "success" ? among(amounts) : undefined,
  };
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, answer[name]]));
  return differences(expected, found).map((fault) => `${call.request}: ${fault}`);
}

function absentOr(texts: readonly string[]) {
  return expecting(`absent or ${texts.join(", ")}`, (found) => {
    return found === undefined || texts.includes(String(found));
  });
}

function among(values: readonly object[]) {
  return expecting(JSON.stringify(values), (found) =>
    values.some((value) => differences(value, found).length === 0),
  );
}

/** After a client has read an order, or a subscriber an event of it, the order never gets a 404. */
function vanished({ orderNo }: MadeOrder, calls: readonly ApiCall[], { events }: Seen): string[] {
  const read = calls.filter(({ status = 0 }) => status === 200 || status === 201);
  const known = [
    ...read.map(({ endedMilliseconds }) => endedMilliseconds),
    ...events
      .filter(({ fact }) => fact.orderNo === orderNo)
      .map(({ received }) => received.atMilliseconds),
  ];
  const sinceMilliseconds = Math.min(...known);
  return calls
    .filter(({ status, atMilliseconds }) => status === 404 && atMilliseconds > sinceMilliseconds)
    .map(({ request }) => `${request}: 404, although it was known`);
}

/** A repeated body is the same order. Another amount under the number of a confirmed order is another one. */
function wronglyCompared(calls: readonly ApiCall[]): string[] {
  return calls.flatMap(({ request, status = 500, answer }) => {
    const isOther = request === otherCreation;
    const differs = answer.includes("problem:order-differs");
    if (differs && !isOther) return [`${request}: it differs, although it is the same order`];
    if (isOther && !differs && status < 500) return [`${request}: ${status}, although it differs`];
    return [];
  });
}

/** A claim ends this long after the function that took it has ended. */
const claimSlackMilliseconds = 6_000;

/** A creation is in progress only while its function can run. A crash does not block the order for longer. */
function outlivedClaims(calls: readonly ApiCall[], { overMilliseconds }: Context): string[] {
  const created = calls.filter(({ request }) => request === creation);
  const isInProgress = ({ answer }: ApiCall) => answer.includes("problem:order-in-progress");
  const owners = created.filter((call) => !isInProgress(call));
  const isClaimed = ({ atMilliseconds, endedMilliseconds }: ApiCall) =>
    owners.some(
      (owner) =>
        owner.atMilliseconds <= endedMilliseconds &&
        overMilliseconds(owner) + claimSlackMilliseconds >= atMilliseconds,
    );
  return created
    .filter((call) => isInProgress(call) && !isClaimed(call))
    .map(({ request }) => `${request}: in progress, although nobody creates it any more`);
}
