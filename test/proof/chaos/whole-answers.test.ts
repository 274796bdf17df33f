import { expect, test } from "vitest";
import { certainFlags, storedByOrder } from "./check/certain-flags.ts";
import { contextOf } from "./check/context.ts";
import type { Evidence, Statement } from "./check/evidence.ts";
import { addressOf, otherCreation } from "./check/requests.ts";
import type { Seen } from "./check/rule.ts";
import { answersAreWhole } from "./check/whole-answers.ts";
import { callbackOf, callOf, endingWith, eventOf, getOf, order, seenWith } from "./synthetic.ts";
import {
  changed,
  euros,
  eventsWith,
  ours,
  paid,
  paidAnswer,
  paidBody,
  refunded,
  second,
} from "./synthetic-events.ts";

/** What the rule finds if this is the final response. */
function answered(answer: object, read: Partial<Seen> = {}, parts: Partial<Evidence> = {}) {
  const answers = new Map([[order.orderNo, getOf(answer)]]);
  const ending = endingWith({ answers });
  const seen = seenWith(
    { ...ours, ending, ...parts },
    { statements: [paid], events: eventsWith(paidBody), ...read },
  );
  return answersAreWhole(seen).flatMap(({ wrong }) => wrong);
}

test("the whole answer is right", () => {
  expect(answered(paidAnswer)).toEqual([]);
});

test.each([
  ["amount.currency", "USD"],
  ["paidAmount.minor", "199"],
  ["paidAmount", undefined],
  ["flags", ["late"]],
  ["transactionId", "t9"],
  ["paymentId", "p9"],
  ["checkoutUrl", "http://127.0.0.1/checkout/p1"],
  ["callbackUrl", "https://elsewhere.example"],
  ["channel", "APP"],
  ["stale", true],
  ["outcomeUnknown", true],
  ["statusOrigin", "query"],
  ["expiresAt", "2026-01-01T00:00:00.000Z"],
  ["refundedAmount.value", "5.00"],
  ["sequence", 2],
  ["payments", []],
  ["more", 1],
])("an answer with another %s is found", (path, value) => {
  expect(answered(changed(paidAnswer, path, value))).toHaveLength(1);
});

test("an order has the transaction that only a repeat of its report names, and no other", () => {
  const unnamed = callbackOf({ event: "order.success" }, 200, {
    currency: "EUR",
    paymentTime: 5_000,
    completeTime: 6_000,
  });
  const withoutIt = changed(paidBody, "data.transactionId", undefined);
  const body = changed(withoutIt, "data.order.payment.transactionId", undefined);
  const found = (statements: Statement[], transactionId?: string) =>
    answered({ ...paidAnswer, transactionId }, { statements, events: eventsWith(body) });
  const repeat = second({ transactionId: "t1" });
  expect(found([unnamed, repeat], "t1")).toEqual([]);
  expect(found([unnamed, repeat])).toHaveLength(1);
  const unsure = [unnamed, { ...repeat, post: { ...repeat.post, status: undefined } }];
  expect(found(unsure, "t1")).toEqual([]);
  expect(found(unsure)).toEqual([]);
  expect(found([unnamed, repeat], "t9")).toHaveLength(1);
  expect(found([unnamed], "t1")).toHaveLength(1);
});

test("the event of one content does not show that another one with its id was stored", () => {
  const first = callbackOf({ event: "order.timeout" }, 200);
  const other = callbackOf({ event: "order.timeout" }, 503, { transactionId: "t9" });
  const events = [eventOf("timeout", { callbackId: "c1" })];
  const stored = storedByOrder(seenWith({}, { statements: [first, other], events }));
  expect(stored.get(order.orderNo)).toEqual([first]);
});

test("another amount under the same transaction must be flagged, though it makes no event", () => {
  const statements = [paid, second({ transactionId: "t1", paymentAmount: 20 })];
  expect(answered(paidAnswer, { statements })).toHaveLength(1);
  expect(answered({ ...paidAnswer, flags: ["contradicted"] }, { statements })).toEqual([]);
});

test("an order that was paid is never unknown afterwards", () => {
  const lost = { ...callOf("GET /orders/C1-1", 404, {}), atMilliseconds: 20 };
  expect(answered(paidAnswer, {}, { calls: [...ours.calls, lost] })).toHaveLength(1);
  const before = { ...lost, atMilliseconds: 0 };
  expect(answered(paidAnswer, {}, { calls: [...ours.calls, before] })).toEqual([]);
});

test("an answer in the middle of a run has no amount and no transaction that nobody reported", () => {
  const midway = (parts: object) => callOf("GET /orders/C1-1", 200, { ...paidAnswer, ...parts });
  const calls = (parts: object) => ({ calls: [...ours.calls, midway(parts)] });
  expect(answered(paidAnswer, {}, calls({ sequence: 7 }))).toEqual([]);
  expect(
    answered(paidAnswer, {}, calls({ paidAmount: { ...euros, currency: "USD" } })),
  ).toHaveLength(1);
  expect(answered(paidAnswer, {}, calls({ transactionId: "t9" }))).toHaveLength(1);
});

test("the response to a creation has the address of the order, and its payment", () => {
  const [created] = ours.calls;
  const found = (parts: object) => answered(paidAnswer, {}, { calls: [{ ...created!, ...parts }] });
  const address = "its location is /orders/C1-1, not /orders/C1-1?merchantId=m1";
  expect(found({ location: "/orders/C1-1" })).toEqual([`POST /orders: ${address}`]);
  const unpaid = JSON.stringify(changed(JSON.parse(created!.answer), "checkoutUrl", undefined));
  expect(found({ answer: unpaid })).toEqual([
    "POST /orders: checkoutUrl is absent, not http://127.0.0.1/checkout/p1",
  ]);
});

test("an order number that needs escapes is in the query string of its address", () => {
  const named = { orderNo: "a b/茶", merchantId: "m1" };
  expect(addressOf(named)).toBe("/orders/-?orderNo=a%20b%2F%E8%8C%B6&merchantId=m1");
});

test("another currency must be flagged, and refunds of more than was paid", () => {
  const dollars = callbackOf({ event: "order.success" }, 200, {
    ...paid.opened.result,
    currency: "USD",
  });
  const flagsOf = (statements: readonly Statement[]) => {
    const seen = seenWith(ours, { statements });
    const stored = storedByOrder(seen).get(order.orderNo) ?? [];
    return certainFlags(order, stored, contextOf(seen));
  };
  const refundOf = (amount: number) => {
    return callbackOf({ id: "c2", event: "refund.success" }, 200, {
      ...refunded.opened.result,
      refundAmount: amount,
    });
  };
  expect(flagsOf([paid, refundOf(19.99)])).toEqual([]);
  expect(flagsOf([paid, refundOf(20)])).toEqual(["mismatch"]);
  expect(flagsOf([refundOf(20)])).toEqual([]);
  expect(flagsOf([dollars])).toEqual(["mismatch"]);
});

test("a creation is in progress only while somebody can be creating it", () => {
  const create = (at: number, status: number | undefined, type = "") => ({
    ...callOf("POST /orders", status, { type: `urn:paycast:problem:${type}` }),
    atMilliseconds: at,
    endedMilliseconds: at + 1,
  });
  const inProgress = (at: number) => create(at, 409, "order-in-progress");
  const found = (...calls: ReturnType<typeof create>[]) =>
    answered(paidAnswer, {}, { calls: [...ours.calls, ...calls] });
  const hour = 3_600_000;
  const crashed = create(hour, undefined);
  expect(found(crashed, inProgress(hour + 36_000))).toEqual([]);
  expect(found(crashed, inProgress(hour + 37_000))).toHaveLength(1);
  expect(found(crashed, inProgress(hour + 35_000), inProgress(hour + 70_000))).toHaveLength(1);
  // A function that responds ends its claim, unless something was broken.
  const responded = create(hour, 504, "service-timed-out");
  expect(found(responded, inProgress(hour + 1))).toEqual([]);
  expect(found(responded, inProgress(hour + 2_000))).toHaveLength(1);
});

test("an order that is repeated with the same body is never another one", () => {
  const repeated = callOf("POST /orders", 409, { type: "urn:paycast:problem:order-differs" });
  expect(answered(paidAnswer, {}, { calls: [...ours.calls, repeated] })).toEqual([
    "POST /orders: it differs, although it is the same order",
  ]);
});

test("another amount under the number of a confirmed order is another order", () => {
  const sent = (status: number | undefined, body: object) => {
    const calls = [...ours.calls, callOf(otherCreation, status, body)];
    return answered(paidAnswer, {}, { calls });
  };
  expect(sent(409, { type: "urn:paycast:problem:order-differs" })).toEqual([]);
  expect(sent(503, {})).toEqual([]);
  expect(sent(undefined, {})).toEqual([]);
  expect(sent(200, paidAnswer)).toEqual([`${otherCreation}: 200, although it differs`]);
  expect(sent(409, { type: "urn:paycast:problem:order-exists" })).toHaveLength(1);
});
