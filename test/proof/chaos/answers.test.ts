import { expect, test } from "vitest";
import { answersArePublished, ordersAreRight } from "./check/answers.ts";
import type { Evidence } from "./check/evidence.ts";
import type { Seen } from "./check/rule.ts";
import type { ApiCall } from "./shopper.ts";
import {
  bookOf,
  callbackOf,
  callOf,
  endingWith,
  eventOf,
  getOf,
  order,
  seenWith,
} from "./synthetic.ts";

/** What the rule finds in the order if this is the last response about it. */
function faults(
  answer: ReturnType<typeof getOf>,
  evidence: Partial<Evidence>,
  read: Partial<Seen> = {},
) {
  const ending = endingWith({ answers: new Map([[order.orderNo, answer]]), ...evidence.ending });
  const [look] = ordersAreRight(seenWith({ ...evidence, ending }, read));
  return look?.wrong;
}

/** An order that ended at the service, without a readable callback. */
function createdFaults(created: number, answer: object) {
  const problem = created === 409 ? { type: "urn:paycast:problem:order-exists" } : {};
  const calls = [callOf("POST /orders", created, problem)];
  const unreadable = callbackOf({ event: "order.timeout" }, 200, { merchantId: "another" });
  return faults(
    getOf({ status: "pending", ...answer }),
    { ledger: [bookOf("timeout")], calls },
    { statements: [unreadable] },
  );
}

const isWrong = ["the status is pending, not timeout"];

test("the books count for an order that the storefront got, or whose payment is reported", () => {
  expect(createdFaults(201, {})).toEqual(isWrong);
  expect(createdFaults(200, {})).toEqual(isWrong);
  expect(createdFaults(409, { paymentId: "p1" })).toEqual(isWrong);
  expect(createdFaults(503, {})).toEqual(isWrong);
});

test("an order whose payment nobody could tell Paycast is as its callbacks say", () => {
  expect(createdFaults(409, {})).toEqual([]);
  expect(createdFaults(409, { status: "timeout" })).toEqual(["the status is timeout, not pending"]);
});

/** Paycast knows it from callbacks alone. */
const theirs = { orders: [{ ...order, isOurs: false }], ledger: [bookOf("success")] };
const confirming = callbackOf({ id: "c1", event: "order.confirming" }, 200);
const paid = { status: "success", paidAmount: { value: "19.99" } };

test("a callback whose answer was lost counts if an event shows that it was stored", () => {
  const lost = callbackOf({ id: "C-2", event: "order.success" }, undefined);
  const evidence = { statements: [confirming, lost] };
  const events = [
    eventOf("confirming", { callbackId: "c1" }),
    eventOf("success", { callbackId: "c2" }),
  ];
  expect(faults(getOf(paid), theirs, { ...evidence, events })).toEqual([]);
  expect(faults(getOf({ status: "confirming" }), theirs, { ...evidence, events })).toEqual([
    "the status is confirming, not success",
    "the paid amount is undefined, not 19.99",
  ]);
});

test("a callback whose answer was lost does not count if no event names it", () => {
  const lost = callbackOf({ id: "c2", event: "order.success" }, 503);
  const events = [eventOf("confirming", { callbackId: "c1" })];
  const evidence = { statements: [confirming, lost], events };
  expect(faults(getOf({ status: "confirming" }), theirs, evidence)).toEqual([]);
  expect(faults(getOf(paid), theirs, evidence)).toEqual(["the status is success, not confirming"]);
});

test("an event with another amount does not show that a callback was stored", () => {
  const lost = callbackOf({ id: "c2", event: "order.success" }, undefined, {
    paymentAmount: "5.00",
  });
  const acknowledged = callbackOf({ id: "c2", event: "order.success" }, 200);
  const events = [eventOf("success", { callbackId: "c2" })];
  const evidence = { statements: [lost, acknowledged], events };
  expect(faults(getOf(paid), theirs, evidence)).toEqual([]);
  expect(faults(getOf({ ...paid, paidAmount: { value: "5.00" } }), theirs, evidence)).toEqual([
    "the paid amount is 5.00, not 19.99",
  ]);
});

test("an unreadable callback of another's order is named by the answer, also if only the list shows it", () => {
  const unreadable = callbackOf({ event: "order.timeout" }, undefined, { merchantId: "another" });
  const item = {
    id: "1",
    kind: "quarantined",
    callbackId: "C1",
    receivedAt: "",
    since: "",
    subscribers: {},
  };
  const evidence = { statements: [unreadable] };
  const detail = "A callback of the payment service names it and cannot be understood";
  const heard = callOf("GET /orders/C1-1", 404, { detail });
  const unknown = callOf("GET /orders/C1-1", 404, {});
  const withList = (answer: ApiCall) => {
    const answers = new Map([[order.orderNo, answer]]);
    return { ...theirs, ending: endingWith({ answers, needsPerson: [item] }) };
  };
  expect(faults(heard, withList(heard), evidence)).toEqual([]);
  expect(faults(unknown, withList(unknown), evidence)).toEqual([
    "the response does not name a callback that cannot be read",
  ]);
  expect(faults(unknown, theirs, evidence)).toEqual([]);
  expect(faults(heard, theirs, evidence)).toEqual([
    "the response names a callback that cannot be read",
  ]);
  const pending = getOf({ status: "pending" });
  expect(faults(pending, withList(pending), evidence)).toEqual([
    "nothing was reported about it, but the response is 200",
  ]);
});

/** What the rule finds with these events, if the last response is a success with this sequence. */
function unpublished(sequence: number, parts: Parameters<typeof endingWith>[0] = {}) {
  const last = getOf({ ...paid, sequence });
  const ending = endingWith({ answers: new Map([[order.orderNo, last]]), ...parts });
  const events = [eventOf("confirming", { callbackId: "c1" }), eventOf("success", { sequence: 2 })];
  return answersArePublished(seenWith({ ending }, { events })).flatMap(({ wrong }) => wrong);
}

test("a final answer has the sequence of the events", () => {
  expect(unpublished(2)).toEqual([]);
  expect(unpublished(1)).toEqual(["the response is success with sequence 1, after 2 events"]);
});

test("an order with a final answer is listed once", () => {
  expect(unpublished(2, { listedOrders: [] })).toEqual(["it is 0 times in the list of orders"]);
  expect(unpublished(2, { listedOrders: [order, order] })).toEqual([
    "it is 2 times in the list of orders",
  ]);
  const ofOther = [{ ...order, merchantId: "m2" }];
  expect(unpublished(2, { listedOrders: ofOther })).toEqual([
    "it is 0 times in the list of orders",
  ]);
});

test("an answer that is not final is held against nothing", () => {
  const last = getOf({ status: "pending", sequence: 1 });
  const unsettled = new Map([[order.orderNo, last]]);
  const ending = endingWith({ unsettled });
  expect(unpublished(1, { answers: new Map(), unsettled })).toEqual([]);
  const [look] = ordersAreRight(seenWith({ ledger: [bookOf("success")], ending }));
  expect(look?.wrong).toEqual([]);
});
