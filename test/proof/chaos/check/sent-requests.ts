import type { Asked } from "../service-line.ts";
import type { ApiCall, MadeOrder } from "../shopper.ts";
import { type Context, contextOf } from "./context.ts";
import { differences } from "./differences.ts";
import { groupBy, isDuring } from "./evidence.ts";
import { expecting } from "./expect.ts";
import { bodyOf, textOf } from "./facts.ts";
import { type JsonObject, parseObject } from "./open-envelope.ts";
import { isCreation } from "./requests.ts";
import { excused, type Look, type Rule, type Seen } from "./rule.ts";

/**
 * The stack sends the payment service what the storefront ordered, once, and does not ask about a payment more often
 * than every five seconds. It sends nothing else.
 */
export const requestsAreRight: Rule = (seen) => {
  const context = contextOf(seen);
  const requests = seen.evidence.asked.map((request) => read(request, seen));
  const created = groupBy(requests, ({ orderNo = "" }) => orderNo);
  const queried = groupBy(requests, ({ paymentId = "" }) => paymentId);
  const looks = seen.evidence.orders.map((made): Look => {
    const { orderNo } = made;
    const calls = context.callsOf(orderNo).filter(isCreation);
    const creations = created.get(orderNo) ?? [];
    const queries = context
      .booksOf(orderNo)
      .flatMap(({ paymentId }) => queried.get(paymentId) ?? []);
    const repeated = askedTooOften(queries);
    const excusable = repeated.filter(({ asked }) => isBroken(asked, seen));
    const wrong = [
      ...creations.flatMap((creation) => wrongFields(creation, calls, seen, context)),
      ...sentTooOften(creations, calls),
      ...neverSent(creations, calls),
      ...creations.flatMap((creation) => sentWithoutNeed(creation, made, seen, context)),
      ...expiriesThatDiffer(creations, calls),
      ...repeated.slice(excusable.length).map(() => askedThrice),
    ];
    return excusable.length > 0
      ? { ...excused(orderNo, "asked again while AWS failed"), wrong }
      : { orderNo, wrong };
  });
  return [...looks, ...unknownRequests(requests, seen)];
};

/** A request to the service, opened. It creates an order or asks about a payment. */
interface Request {
  readonly asked: Asked;
  readonly merchantId: unknown;
  readonly body: JsonObject;
  readonly orderNo: string | undefined;
  readonly paymentId: string | undefined;
}

function read(asked: Asked, { evidence: { keysOf } }: Seen): Request {
  const { merchantId } = parseObject(asked.envelope) ?? {};
  const body = bodyOf(asked, keysOf);
  const orderNo = textOf({ ...Object(body["order"]) }, "orderNo");
  return { asked, merchantId, body, orderNo, paymentId: textOf(body, "paymentId") };
}

/** Each request is about an order or a payment that exists, or no key opens it. */
function unknownRequests(requests: readonly Request[], { evidence }: Seen): Look[] {
  const orders = new Set(evidence.orders.map(({ orderNo }) => orderNo));
  const payments = new Set(evidence.ledger.map(({ paymentId }) => paymentId));
  const isKnown = ({ orderNo = "", paymentId = "" }: Request) =>
    orders.has(orderNo) || payments.has(paymentId);
  const unknown = requests.filter((request) => !isKnown(request));
  return unknown.map(({ asked }) => ({
    orderNo: undefined,
    wrong: [`a request about nothing that exists: ${asked.envelope.slice(0, 200)}`],
  }));
}

/** The storefront sends no times, so the customer has half an hour. */
export const lifetimeMilliseconds = 30 * 60_000;

/** Every field is the storefront's. Amounts are numbers, and the stack adds the times and its own address. */
function wrongFields(
  { asked, merchantId, body }: Request,
  calls: readonly ApiCall[],
  seen: Seen,
  context: Context,
): string[] {
  const ordered = runningAt(asked, calls, context).at(-1)?.body;
  if (ordered === undefined) return ["nobody ordered what was sent to the payment service"];
  const { merchantId: ofShop, order, paymentAmount, ...same } = ordered;
  const { goods, orderAmount, ...described } = order;
  const sentBy = asked.atMilliseconds;
  const expected = {
    merchantId: ofShop,
    body: {
      ...same,
      paymentAmount: Number(paymentAmount),
      order: {
        ...described,
        orderAmount: Number(orderAmount),
        goods: goods.map((item) => ({ ...item, goodsAmount: Number(item.goodsAmount) })),
      },
      callbackUrl: seen.evidence.callbackUrl,
      paymentTime: shortlyBefore(sentBy),
      paymentExpiryTime: Number(body["paymentTime"]) + lifetimeMilliseconds,
    },
  };
  const wrong = differences(expected, { merchantId, body });
  return wrong.map((difference) => `sent to the payment service: ${difference}`);
}

/** The longest time limit of create-order. */
const functionMilliseconds = 29_000;

function shortlyBefore(milliseconds: number) {
  return expecting(`shortly before ${milliseconds}`, (found) => {
    const age = milliseconds - Number(found);
    return age >= 0 && age <= functionMilliseconds;
  });
}

/** Each request of the storefront sends the order once at most, and never while another one is sending it. */
function sentTooOften(creations: readonly Request[], calls: readonly ApiCall[]): string[] {
  const inOrder = creations.toSorted(
    (left, right) => left.asked.atMilliseconds - right.asked.atMilliseconds,
  );
  const overlaps = inOrder.filter(({ asked }, index) => {
    const before = inOrder[index - 1];
    return before !== undefined && asked.atMilliseconds < before.asked.endedMilliseconds;
  });
  const most = calls.length;
  return [
    ...overlaps.map(() => "it was sent to the payment service while it was being sent"),
    ...(creations.length > most
      ? [`it was sent to the payment service ${creations.length} times for ${most} requests`]
      : []),
  ];
}

/** Nobody sends an order that a client or a subscriber already knows to exist: it could be paid twice. */
function sentWithoutNeed(
  { asked }: Request,
  { orderNo }: MadeOrder,
  { events }: Seen,
  context: Context,
): string[] {
  const calls = context.callsOf(orderNo).filter(isCreation);
  const running = runningAt(asked, calls, context);
  const known = [
    ...calls
      .filter(({ status }) => status === 200 || status === 201)
      .map(({ endedMilliseconds }) => endedMilliseconds),
    ...events
      .filter(({ fact }) => fact.orderNo === orderNo)
      .map(({ received }) => received.atMilliseconds),
  ];
  const knownMilliseconds = Math.min(...known);
  const isNeeded = running.some(({ atMilliseconds }) => atMilliseconds <= knownMilliseconds);
  return isNeeded ? [] : ["it was sent to the payment service, although it was known to exist"];
}

/**
 * The calls whose function can have sent a request, the latest last. It runs until it responds, or until its time limit
 * if it fails.
 */
function runningAt(
  { atMilliseconds }: Asked,
  calls: readonly ApiCall[],
  { overMilliseconds }: Context,
): ApiCall[] {
  const inOrder = calls.toSorted((left, right) => left.atMilliseconds - right.atMilliseconds);
  return inOrder.filter((call) => {
    const isAnswered = call.status !== undefined && call.status < 500;
    const until = isAnswered ? call.endedMilliseconds : overMilliseconds(call);
    return call.atMilliseconds <= atMilliseconds && atMilliseconds <= until;
  });
}

/** An order that the storefront got confirmed was sent. */
function neverSent(creations: readonly Request[], calls: readonly ApiCall[]): string[] {
  const isConfirmed = calls.some(({ status }) => status === 201);
  return isConfirmed && creations.length === 0 ? ["it was never sent to the payment service"] : [];
}

/** The customer has the same time at the payment service and in the storefront, if the order was sent only once. */
function expiriesThatDiffer(creations: readonly Request[], calls: readonly ApiCall[]): string[] {
  const [creation] = creations;
  if (creation === undefined || creations.length > 1 || calls.length > 1) return [];
  const sent = new Date(Number(creation.body["paymentExpiryTime"])).toISOString();
  const created = calls.filter(({ status }) => status === 200 || status === 201);
  const shown = created.map(({ answer }) => parseObject(answer)?.["expiresAt"]);
  return shown
    .filter((expiresAt) => expiresAt !== sent)
    .map((expiresAt) => `it expires at ${sent}, and the storefront shows ${expiresAt}`);
}

/** A little less than what the stack waits after a response. */
const apartMilliseconds = 4_000;
const askedThrice = "the payment service was asked three times within a few seconds";

/**
 * The third of three queries in a row. Reconciliation may ask right after the storefront, but not twice. A query without
 * a response is repeated sooner.
 */
function askedTooOften(queries: readonly Request[]): Request[] {
  const inOrder = queries.toSorted(
    (left, right) => left.asked.atMilliseconds - right.asked.atMilliseconds,
  );
  const isSoon = (index: number) => {
    const [before, after] = [inOrder[index - 1]?.asked, inOrder[index]?.asked];
    if (before === undefined || after === undefined) return false;
    const isAnswered = Number(parseObject(before.answer)?.["code"]) === 20_000;
    return isAnswered && after.atMilliseconds - before.endedMilliseconds < apartMilliseconds;
  };
  return inOrder.filter((_query, index) => isSoon(index) && isSoon(index - 1));
}

/** A query whose result is not stored blocks the next one for so long. */
const claimMilliseconds = 15_000;

/** While AWS fails, a result may not be stored, and the service is asked again. */
function isBroken(asked: Asked, { evidence }: Seen): boolean {
  return evidence.disturbances
    .filter(({ sparesCalls }) => !sparesCalls)
    .some((disturbance) => isDuring(disturbance, asked, claimMilliseconds));
}
