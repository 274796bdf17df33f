import type { ApiCall, MadeOrder } from "../shopper.ts";
import { amountOf } from "./amounts.ts";
import type { Context } from "./context.ts";
import { differences } from "./differences.ts";
import { type Evidence, isDuring } from "./evidence.ts";
import { expecting } from "./expect.ts";
import { expectedAmount } from "./expected-order.ts";
import type { Fact } from "./facts.ts";
import { outdatedAnswers, outlivedRejections, wrongRefusals } from "./fresh-answers.ts";
import { parseObject } from "./open-envelope.ts";
import { addressOf, isCreation, otherCreation } from "./requests.ts";
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
  const answered = calls.filter((call) => isFound(call) && !isRefused(call));
  return [
    ...answered.flatMap((call) => fixedFaults(call, made, facts, context, seen)),
    ...answered.flatMap((call) => wrongLocation(call, made)),
    ...vanished(made, calls, seen),
    ...wrongRefusals(
      calls.filter((call) => isFound(call) && isRefused(call)),
      existsMilliseconds(made, calls, seen),
      seen.evidence,
    ),
    ...outlivedClaims(calls, seen.evidence, context),
    ...wronglyCompared(calls),
    ...outdatedAnswers(calls, reported, stated, seen.evidence),
    ...outlivedRejections(calls, seen.evidence),
  ];
}

function isFound({ status }: ApiCall): boolean {
  return status === 200 || status === 201;
}

/** While an order is rejected, its number is free: it may be corrected, or never be sent again. */
function isRefused({ answer }: ApiCall): boolean {
  return parseObject(answer)?.["status"] === "refused";
}

/** The fields that never change, and amounts and transactions that the service has. */
function fixedFaults(
  call: ApiCall,
  made: MadeOrder,
  facts: readonly Fact[],
  context: Context,
  { evidence }: Seen,
) {
  const answer = parseObject(call.answer) ?? {};
  const books = made.isOurs ? context.booksOf(made.orderNo) : [];
  const paid = facts.filter(({ status }) => status === "success");
  const amounts = paid.map(({ amount = "", currency }) => amountOf(amount, currency));
  const isLinked =
    isCreation(call) || context.linkedMilliseconds(made.orderNo) < call.atMilliseconds;
  const expected = {
    merchantId: made.merchantId,
    orderNo: made.orderNo,
    channel: made.isOurs ? "WEB" : undefined,
    callbackUrl: made.isOurs ? evidence.callbackUrl : undefined,
    amount: expectedAmount(made) ?? answer["amount"],
    paymentId: oneOf(
      books.map(({ paymentId }) => paymentId),
      !isLinked,
    ),
    checkoutUrl:
      answer["status"] === "pending"
        ? oneOf(
            books.map(({ checkoutUrl }) => checkoutUrl),
            // A refund shows that the order was paid.
            !isLinked || context.hasRefund(made.orderNo) || isExpired(answer, call, context),
          )
        : undefined,
    transactionId: oneOf(
      facts.flatMap(({ transactionId }) => transactionId ?? []),
      true,
    ),
    paidAmount: answer["status"] === "success" ? among(amounts) : undefined,
  };
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, answer[name]]));
  return differences(expected, found).map((fault) => `${call.request}: ${fault}`);
}

function isExpired(answer: object, call: ApiCall, context: Context): boolean {
  const expiresAt = Object.entries(answer).find(([name]) => name === "expiresAt")?.[1];
  return Date.parse(String(expiresAt)) <= context.overMilliseconds(call);
}

/** A response to a creation says where the order is. */
function wrongLocation({ request, status, location }: ApiCall, made: MadeOrder): string[] {
  const expected = status === 201 ? addressOf(made) : undefined;
  return location === expected ? [] : [`${request}: its location is ${location}, not ${expected}`];
}

function oneOf(texts: readonly string[], mayBeAbsent: boolean) {
  return expecting(`${mayBeAbsent ? "absent or " : ""}${texts.join(" or ")}`, (found) => {
    return found === undefined ? mayBeAbsent : texts.includes(String(found));
  });
}

function among(values: readonly object[]) {
  return expecting(JSON.stringify(values), (found) =>
    values.some((value) => differences(value, found).length === 0),
  );
}

/** After a client has read an order, or a subscriber an event of it, the order never gets a 404. */
function vanished(made: MadeOrder, calls: readonly ApiCall[], seen: Seen): string[] {
  const read = calls.filter((call) => isFound(call) && !isRefused(call));
  const readMilliseconds = read.map(({ endedMilliseconds }) => endedMilliseconds);
  const sinceMilliseconds = Math.min(...readMilliseconds, existsMilliseconds(made, calls, seen));
  return calls
    .filter(({ status, atMilliseconds }) => status === 404 && atMilliseconds > sinceMilliseconds)
    .map(({ request }) => `${request}: 404, although it was known`);
}

/** Since when the order certainly exists: a creation was confirmed, or a subscriber has an event of it. */
function existsMilliseconds(
  { orderNo }: MadeOrder,
  calls: readonly ApiCall[],
  { events }: Seen,
): number {
  const confirmed = calls.filter((call) => isCreation(call) && isFound(call));
  const published = events.filter(({ fact }) => fact.orderNo === orderNo);
  return Math.min(
    ...confirmed.map(({ endedMilliseconds }) => endedMilliseconds),
    ...published.map(({ received }) => received.atMilliseconds),
  );
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

/**
 * A creation is in progress only while its function can run, and a function that responds ends it. A crash does not
 * block the order for longer.
 */
function outlivedClaims(
  calls: readonly ApiCall[],
  { disturbances, busy, passed }: Evidence,
  { overMilliseconds }: Context,
): string[] {
  const created = calls.filter(isCreation);
  const isInProgress = ({ answer }: ApiCall) => answer.includes("problem:order-in-progress");
  const owners = created.filter((call) => !isInProgress(call));
  const broken = [...disturbances.filter(({ sparesCalls }) => !sparesCalls), ...busy];
  const endOf = (owner: ApiCall) => {
    const { status = 503 } = owner;
    const isLate = status >= 500 && passed.some((time) => isDuring(time, owner));
    const mayHaveFailed =
      owner.status === undefined || isLate || broken.some((time) => isDuring(time, owner));
    return mayHaveFailed
      ? overMilliseconds(owner) + claimSlackMilliseconds
      : owner.endedMilliseconds;
  };
  const isClaimed = ({ atMilliseconds, endedMilliseconds }: ApiCall) =>
    owners.some(
      (owner) => owner.atMilliseconds <= endedMilliseconds && endOf(owner) >= atMilliseconds,
    );
  return created
    .filter((call) => isInProgress(call) && !isClaimed(call))
    .map(({ request }) => `${request}: in progress, although nobody creates it any more`);
}
