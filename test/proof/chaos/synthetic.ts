import type { Event, Evidence, Statement } from "./check/evidence.ts";
import { type Fact, readFact } from "./check/facts.ts";
import type { JsonObject } from "./check/open-envelope.ts";
import type { Seen } from "./check/rule.ts";
import type { Ending } from "./settle.ts";
import type { ApiCall } from "./shopper.ts";

/*
 * Evidence that no run has made: for the tests of the rules. All of it is about one order, and nothing is wrong unless a
 * test says so.
 */

export const order = {
  orderNo: "C1-1",
  merchantId: "m1",
  amount: "19.99",
  currency: "EUR",
  story: "paid",
  isOurs: true,
  endsLate: false,
  details: { hasNumbers: false },
};
export const callbackUrl = "http://127.0.0.1/callbacks";
const times = { atMilliseconds: 1, endedMilliseconds: 2 };

export function endingWith(parts: Partial<Ending> = {}): Ending {
  return {
    answers: new Map(),
    unsettled: new Map(),
    givenUp: [],
    needsPerson: [],
    timelines: new Map(),
    listed: [],
    unsent: 0,
    listedOrders: [order],
    asksFromMilliseconds: 1_000,
    checkedMilliseconds: 1_000,
    recorded: new Map(),
    counts: [{ atMilliseconds: 1_000, needed: 0, paging: 0 }],
    waited: { fromMilliseconds: 0, untilMilliseconds: 1_000 },
    ...parts,
  };
}

export function seenWith(
  evidence: Partial<Evidence>,
  read: Partial<Omit<Seen, "evidence">> = {},
): Seen {
  return {
    evidence: {
      orders: [order],
      ledger: [],
      posts: [],
      asked: [],
      calls: [],
      received: [],
      disturbances: [],
      rotations: [],
      passed: [],
      busy: [],
      ending: endingWith(),
      subscribers: [{ name: "all", types: ["*"], ordered: true }],
      callbackUrl,
      keysOf: () => [],
      ...evidence,
    },
    statements: [],
    serviceAnswers: [],
    forged: [],
    events: [],
    ...read,
  };
}

/** An order in the service's records. */
export function bookOf(status: string) {
  return {
    ...order,
    paymentId: "p1",
    status,
    checkoutUrl: "http://127.0.0.1/checkout/p1",
    callbacks: [],
  };
}

export function callOf(request: string, status: number | undefined, body: object): ApiCall {
  const answer = JSON.stringify(body);
  const location = status === 201 ? "/orders/C1-1?merchantId=m1" : undefined;
  return { ...times, orderNo: order.orderNo, request, status, answer, location };
}

export function getOf(body: object): ApiCall {
  return callOf("GET /orders/C1-1", 200, { stale: false, ...body });
}

/** An authentic callback. If the response is undefined, it was lost. */
export function callbackOf(
  name: { readonly id?: string; readonly event: string },
  answered: number | undefined,
  result: JsonObject = {},
): Statement {
  const eventName = `payment.${name.event}`;
  const [, status = ""] = name.event.split(".");
  const opened = {
    id: name.id ?? "c1",
    merchantId: order.merchantId,
    eventName,
    result: {
      merchantId: order.merchantId,
      referOrderNo: order.orderNo,
      paymentAmount: order.amount,
      status,
      ...result,
    },
    keysIndex: 0,
    sentMilliseconds: 1,
  };
  const answer = answered === 200 ? '{"code":20000,"msg":""}' : "";
  const post = { ...times, status: answered, answer, envelope: "", by: "service" } as const;
  return { post, opened, fact: readFact(opened) };
}

/** The event of a callback, as the team "all" received it; without a callback id, the event of a query. */
export function eventOf(
  status: string,
  { callbackId, sequence = 1, ...received }: EventParts = {},
): Event {
  const fact: Fact = {
    type: `payment.order.${status}`,
    merchantId: order.merchantId,
    orderNo: order.orderNo,
    paymentId: undefined,
    refundId: undefined,
    refundNo: undefined,
    status,
    transactionId: undefined,
    amount: order.amount,
    currency: order.currency,
    reason: undefined,
    createdAt: undefined,
    completedAt: undefined,
  };
  const messageId = `message ${sequence}`;
  return {
    received: {
      subscriber: "all",
      messageId,
      body: "",
      group: "g1",
      type: fact.type,
      atMilliseconds: 1,
      sentMilliseconds: 1,
      ...received,
    },
    id: `fact ${status}`,
    partition: "g1",
    sequence,
    origin: callbackId === undefined ? "query" : "callback",
    callbackId,
    fact,
    body: {},
  };
}

interface EventParts {
  readonly callbackId?: string;
  readonly sequence?: number;
  readonly atMilliseconds?: number;
  readonly sentMilliseconds?: number;
}
