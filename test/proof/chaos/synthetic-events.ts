import { type Event, eventsOf, type ServiceAnswer } from "./check/evidence.ts";
import type { Fact } from "./check/facts.ts";
import { bookOf, callbackOf, callbackUrl, callOf, order } from "./synthetic.ts";

/* The whole event of a paid order, of a refund of it, and the whole answer about it: all right, unless a test changes it. */

const hash = "a".repeat(64);
const at = (milliseconds: number) => new Date(milliseconds).toISOString();
export const euros = { value: "19.99", minor: "1999", currency: "EUR" };
const part = { value: "5.00", minor: "500", currency: "EUR" };

export const paid = callbackOf({ event: "order.success" }, 200, {
  transactionId: "t1",
  currency: "EUR",
  paymentTime: 5_000,
  completeTime: 6_000,
});

export const refunded = callbackOf({ id: "c2", event: "refund.success" }, 200, {
  referOrderNo: undefined,
  paymentAmount: undefined,
  paymentId: "p1",
  refundId: "r1",
  refundAmount: 5,
  transactionId: "t2",
  refundTime: 7_000,
  completeTime: 8_000,
  status: "refund_success",
});

const details = {
  transactionId: "t1",
  createdAt: at(5_000),
  completedAt: at(6_000),
  amount: euros,
  origin: "callback",
  learnedAt: at(2),
};

const head = {
  specversion: "1.0",
  id: hash,
  source: "urn:paycast:local-1:000000000000:Paycast",
  datacontenttype: "application/json",
  partitionkey: "g1",
  sequence: "0000000001",
  origin: "callback",
  traceparent: `00-${"b".repeat(32)}-${"c".repeat(16)}-01`,
  subject: order.orderNo,
};

export const paidBody = {
  ...head,
  time: at(6_000),
  type: "payment.order.success",
  dataschema: "urn:paycast:schema:payment-order-event:1",
  data: {
    merchantId: order.merchantId,
    transactionId: "t1",
    createdAt: at(5_000),
    completedAt: at(6_000),
    callbackId: "c1",
    flags: [],
    orderNo: order.orderNo,
    status: "success",
    amount: euros,
    order: {
      orderNo: order.orderNo,
      status: "success",
      expectedAmount: euros,
      payment: details,
      paymentIds: ["p1"],
      flags: [],
    },
  },
};

const refund = {
  refundId: "r1",
  paymentId: "p1",
  status: "refund_success",
  amount: part,
  transactionId: "t2",
  createdAt: at(7_000),
  completedAt: at(8_000),
};

export const refundBody = {
  ...head,
  id: "d".repeat(64),
  partitionkey: "g2",
  time: at(8_000),
  type: "payment.refund.success",
  dataschema: "urn:paycast:schema:payment-refund-event:1",
  data: {
    merchantId: order.merchantId,
    callbackId: "c2",
    flags: [],
    orderNo: order.orderNo,
    ...refund,
    payment: {
      paymentId: "p1",
      orderNo: order.orderNo,
      refunds: [refund],
      refundedAmount: part,
      flags: [],
    },
  },
};

export const paidAnswer = {
  merchantId: order.merchantId,
  orderNo: order.orderNo,
  channel: "WEB",
  status: "success",
  statusOrigin: "callback",
  statusAt: at(2),
  stale: false,
  outcomeUnknown: false,
  amount: euros,
  paidAmount: euros,
  transactionId: "t1",
  paymentId: "p1",
  callbackUrl,
  createdAt: at(5_000),
  completedAt: at(6_000),
  expiresAt: at(30 * 60_000),
  refunds: [],
  refundedAmount: { value: "0.00", minor: "0", currency: "EUR" },
  flags: [],
  sequence: 1,
  payments: [{ paymentId: "p1", sequence: 0 }],
};

/** The same with another value at a path such as `data.amount.minor`; undefined removes the field. */
export function changed<Body extends object>(body: Body, path: string, value: unknown): Body {
  // Not structuredClone: what the body has in two places would stay one object.
  const copy: Body = JSON.parse(JSON.stringify(body));
  const names = path.split(".");
  const last = names.pop() ?? "";
  const inner = names.reduce(
    (object: Record<string, unknown>, name) => Object(object[name]),
    Object(copy),
  );
  inner[last] = value;
  return copy;
}

/** As the team "all" received them. */
export function eventsWith(...bodies: readonly { readonly type?: string }[]): Event[] {
  return eventsOf(
    bodies.map((body, index) => ({
      subscriber: "all",
      messageId: `message ${index}`,
      body: JSON.stringify(body),
      group: "g1",
      type: body.type,
      atMilliseconds: 10,
      sentMilliseconds: 9,
    })),
  );
}

/** The service responded to a query like this. */
export function answersAbout(parts: Partial<Fact> = {}): ServiceAnswer {
  const { fact } = paid;
  if (fact === undefined) throw new Error("The callback can be read.");
  const asked = { atMilliseconds: 1, endedMilliseconds: 2, status: 200, answer: "", envelope: "" };
  return { asked, fact: { ...fact, paymentId: "p1", ...parts } };
}

/** The order was created here before anything else. */
const pending = {
  ...paidAnswer,
  checkoutUrl: "http://127.0.0.1/checkout/p1",
  paidAmount: undefined,
  status: "pending",
  transactionId: undefined,
};
const created = {
  ...callOf("POST /orders", 201, pending),
  atMilliseconds: 0,
  endedMilliseconds: 0,
};
export const ours = {
  ledger: [bookOf("success")],
  calls: [created],
};
/** Two payments of one order at the service: the second is a fact of its own. */
export function second(parts: Partial<Record<string, unknown>> = {}) {
  return callbackOf({ id: "c3", event: "order.success" }, 200, {
    ...paid.opened.result,
    transactionId: "t3",
    ...parts,
  });
}
