import type { Asked } from "../service-line.ts";
import type { ApiCall, MadeOrder } from "../shopper.ts";
import { type Context, contextOf } from "./context.ts";
import { differences } from "./differences.ts";
import { groupBy } from "./evidence.ts";
import { expecting } from "./expect.ts";
import { bodyOf, textOf } from "./facts.ts";
import { type JsonObject, parseObject } from "./open-envelope.ts";
import { isCreation, type StorefrontBody } from "./requests.ts";
import type { Look, Rule, Seen } from "./rule.ts";

/**
 * The stack sends the payment service what the storefront ordered, once, and does not ask about a payment more often
 * than every five seconds.
 */
export const requestsAreRight: Rule = (seen) => {
  const { orders, asked } = seen.evidence;
  const context = contextOf(seen);
  const requests = asked.map((request) => read(request, seen));
  const created = groupBy(
    requests,
    ({ body }) => textOf({ ...Object(body["order"]) }, "orderNo") ?? "",
  );
  const queried = groupBy(requests, ({ body }) => textOf(body, "paymentId") ?? "");
  return orders.map((made): Look => {
    const { orderNo } = made;
    const calls = context.callsOf(orderNo).filter(isCreation);
    const creations = created.get(orderNo) ?? [];
    const queries = context
      .booksOf(orderNo)
      .flatMap(({ paymentId }) => queried.get(paymentId) ?? []);
    const wrong = [
      ...creations.flatMap((creation) => wrongFields(creation, calls, seen)),
      ...sentTooOften(creations, calls),
      ...creations.flatMap((creation) => sentWithoutNeed(creation, made, seen, context)),
      ...askedTooOften(queries, seen),
    ];
    return { orderNo, wrong };
  });
};

/** A request to the service, opened. */
interface Request {
  readonly asked: Asked;
  readonly merchantId: unknown;
  readonly body: JsonObject;
}

function read(asked: Asked, { evidence: { keysOf } }: Seen): Request {
  const { merchantId } = parseObject(asked.envelope) ?? {};
  return { asked, merchantId, body: bodyOf(asked, keysOf) };
}

/** The storefront sends no times, so the customer has half an hour. */
export const lifetimeMilliseconds = 30 * 60_000;

/** Every field is the storefront's. Amounts are numbers, and the stack adds the times and its own address. */
function wrongFields(
  { asked, merchantId, body }: Request,
  calls: readonly ApiCall[],
  seen: Seen,
): string[] {
  const bodies = calls.flatMap((call) => call.body ?? []);
  const isSent = ({ paymentAmount }: StorefrontBody) =>
    Number(paymentAmount) === Number(body["paymentAmount"]);
  const ordered = bodies.find(isSent) ?? bodies.at(-1);
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
      paymentExpiryTime: shortlyBefore(sentBy + lifetimeMilliseconds),
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
  { callsOf, overMilliseconds }: Context,
): string[] {
  const calls = callsOf(orderNo).filter(isCreation);
  const running = calls.filter((call) => {
    const isAnswered = call.status !== undefined && call.status < 500;
    const until = isAnswered ? call.endedMilliseconds : overMilliseconds(call);
    return call.atMilliseconds <= asked.atMilliseconds && asked.atMilliseconds <= until;
  });
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

/** A little less than what the stack waits after a response. */
const apartMilliseconds = 4_000;

/**
 * Reconciliation may ask right after the storefront, but not twice: three queries in a row are too many. Queries without
 * a response, and while AWS is broken, are repeated sooner.
 */
function askedTooOften(queries: readonly Request[], { evidence }: Seen): string[] {
  const inOrder = queries.toSorted(
    (left, right) => left.asked.atMilliseconds - right.asked.atMilliseconds,
  );
  const isSoon = (index: number) => {
    const [before, after] = [inOrder[index - 1]?.asked, inOrder[index]?.asked];
    if (before === undefined || after === undefined) return false;
    const isAnswered = Number(parseObject(before.answer)?.["code"]) === 20_000;
    return isAnswered && after.atMilliseconds - before.endedMilliseconds < apartMilliseconds;
  };
  const isBroken = ({ atMilliseconds, endedMilliseconds }: Asked) =>
    evidence.disturbances
      .filter(({ sparesCalls }) => !sparesCalls)
      .some(
        ({ fromMilliseconds, untilMilliseconds }) =>
          fromMilliseconds <= endedMilliseconds &&
          untilMilliseconds >= atMilliseconds - brokenMilliseconds,
      );
  const third = inOrder.filter(
    ({ asked }, index) => isSoon(index) && isSoon(index - 1) && !isBroken(asked),
  );
  return third.map(() => "the payment service was asked three times within a few seconds");
}

/** As long as a query's claim of an order that was not ended. */
const brokenMilliseconds = 15_000;
