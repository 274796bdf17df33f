import { describe, expect, test } from "vitest";
import { acknowledgedIsPublished, publishedIsAuthentic } from "./check/deliveries.ts";
import type { Evidence } from "./check/evidence.ts";
import type { Seen } from "./check/rule.ts";
import { eventsAreWhole } from "./check/whole-events.ts";
import { callbackOf, order, seenWith } from "./synthetic.ts";
import {
  answersAbout,
  changed,
  euros,
  eventsWith,
  ours,
  paid,
  paidBody,
  refundBody,
  refunded,
  second,
} from "./synthetic-events.ts";

const statements = [paid, refunded];

/** What the rules about events find in these bodies. */
function faults(
  bodies: readonly object[],
  parts: Partial<Evidence> = {},
  read: Partial<Seen> = {},
) {
  const events = eventsWith(...bodies);
  const seen = seenWith({ ...ours, ...parts }, { statements, events, ...read });
  return [eventsAreWhole, publishedIsAuthentic].map(
    (rule) => rule(seen).flatMap(({ wrong }) => wrong).length > 0,
  );
}
const right = [false, false];
const wrongField = [true, false];
const forged = [true, true];

test("the events of a paid and refunded order are right", () => {
  expect(faults([paidBody, refundBody])).toEqual(right);
});

test("a message with another type than its event is found", () => {
  const [event] = eventsWith(paidBody);
  const received = { ...event!.received, type: undefined };
  expect(faults([], {}, { events: [{ ...event!, received }] })).toEqual(wrongField);
});

test.each([
  ["the currency", "data.amount.currency", "USD", forged],
  ["minor units", "data.amount.minor", "199", wrongField],
  ["a flag too many", "data.flags", ["late"], wrongField],
  ["the subject", "subject", undefined, wrongField],
  ["a payment id that a callback does not name", "data.paymentId", "p1", wrongField],
  ["no transaction", "data.transactionId", undefined, forged],
  ["another merchant", "data.merchantId", "m2", forged],
  ["the time", "time", "2026-01-01T00:00:00.000Z", wrongField],
  ["the type of the content", "datacontenttype", "text/plain", wrongField],
  ["the schema", "dataschema", "urn:paycast:schema:payment-refund-event:1", wrongField],
  ["the source", "source", "somebody", wrongField],
  ["the status of the order", "data.order.status", "pending", wrongField],
  ["the amount to pay", "data.order.expectedAmount.value", "1.00", wrongField],
  ["the transaction of the order", "data.order.payment.transactionId", "t9", wrongField],
  ["the origin of the status", "data.order.payment.origin", "query", wrongField],
  [
    "a time in which nothing came",
    "data.order.payment.learnedAt",
    "2026-01-01T00:00:00.000Z",
    wrongField,
  ],
  ["a foreign payment", "data.order.paymentIds", ["p9"], wrongField],
  ["no payment", "data.order.paymentIds", [], wrongField],
  ["a flag of the order", "data.order.flags", ["duplicatePayment"], wrongField],
  ["a field that nobody knows", "data.more", 1, wrongField],
])("an event with %s wrong is found", (_what, path, value, found) => {
  expect(faults([changed(paidBody, path, value)])).toEqual(found);
});

test.each([
  ["the sum of the refunds", "data.payment.refundedAmount.value", "9.00"],
  ["the refund's currency", "data.payment.refunds.0.amount.currency", "USD"],
  ["no refund", "data.payment.refunds", []],
  ["the order", "data.orderNo", undefined],
])("a refund's event with %s wrong is found", (_what, path, value) => {
  expect(faults([paidBody, changed(refundBody, path, value)])).toEqual(wrongField);
});

/** An order of another system of the merchant, with unknown currency. */
test("the refund of a foreign order has no currency, no order and no sum", () => {
  const orders = [{ ...order, isOurs: false }];
  const amount = { value: "5" };
  const [{ ...item }] = refundBody.data.payment.refunds;
  const payment = { paymentId: "p1", refunds: [{ ...item, amount }], flags: ["unknownOrder"] };
  const data = { ...refundBody.data, amount, orderNo: undefined, flags: ["unknownOrder"], payment };
  const foreign = { ...refundBody, subject: undefined, data };
  expect(faults([foreign], { orders, calls: [] })).toEqual(right);
  const withSum = changed(foreign, "data.payment.refundedAmount", { ...euros, value: "5.00" });
  expect(faults([withSum], { orders, calls: [] })).toEqual(wrongField);
});

test("an event that says that a question brought it has what the service answered", () => {
  const details = { ...paidBody.data.order.payment, origin: "query" };
  const asked = changed(changed(paidBody, "origin", "query"), "data.order.payment", details);
  const body = changed(changed(asked, "data.callbackId", undefined), "data.paymentId", "p1");
  const serviceAnswers = [answersAbout()];
  expect(faults([body], {}, { serviceAnswers })).toEqual(right);
  expect(faults([body], {}, { serviceAnswers: [] })).toEqual([false, true]);
  expect(faults([body], {}, { serviceAnswers: [answersAbout({ transactionId: "t9" })] })).toEqual(
    forged,
  );
  expect(faults([body], {}, { serviceAnswers: [answersAbout({ merchantId: "m2" })] })).toEqual(
    forged,
  );
});

function unpublished(callback: ReturnType<typeof second>, bodies: readonly object[]) {
  const seen = seenWith(ours, { statements: [paid, callback], events: eventsWith(...bodies) });
  return acknowledgedIsPublished(seen).flatMap(({ wrong }) => wrong).length;
}

test("an event without its transaction does not stand for a second payment", () => {
  const unreported = changed(paidBody, "data.transactionId", undefined);
  expect(unpublished(second(), [paidBody])).toBe(1);
  expect(unpublished(second(), [unreported])).toBe(2);
  const again = { ...paidBody, id: "e".repeat(64), sequence: "0000000002" };
  expect(unpublished(second(), [paidBody, changed(again, "data.transactionId", "t3")])).toBe(0);
});

test("the second payment of an order is flagged", () => {
  const data = { ...paidBody.data, transactionId: "t3", callbackId: "c3" };
  const flags = ["regressed", "duplicatePayment"];
  const again = {
    ...paidBody,
    id: "e".repeat(64),
    sequence: "0000000002",
    data: { ...data, flags, order: { ...data.order, flags } },
  };
  const read = { statements: [paid, second()] };
  expect(faults([paidBody, again], {}, read)).toEqual(right);
  expect(faults([paidBody, changed(again, "data.flags", [])], {}, read)).toEqual(wrongField);
});

describe("a refund of more than was paid", () => {
  const amount = { value: "20.00", minor: "2000", currency: "EUR" };
  const result = { ...refunded.opened.result, refundAmount: 20 };
  const callback = callbackOf({ id: "c2", event: "refund.success" }, 200, result);
  const bodyWith = (flags: readonly string[]) => {
    const { payment } = refundBody.data;
    const refunds = payment.refunds.map((refund) => ({ ...refund, amount }));
    const whole = { ...payment, refunds, refundedAmount: amount, flags };
    return { ...refundBody, data: { ...refundBody.data, amount, flags, payment: whole } };
  };
  const [unflagged, flagged] = [bodyWith([]), bodyWith(["mismatch"])];
  const foundAt = (milliseconds: number, body: object) => {
    const post = { ...callback.post, atMilliseconds: milliseconds };
    return faults([paidBody, body], {}, { statements: [paid, { ...callback, post }] });
  };

  test("must be flagged after the event of the payment", () => {
    expect(foundAt(11, flagged)).toEqual(right);
    expect(foundAt(11, unflagged)).toEqual(wrongField);
  });

  test("may be flagged before it", () => {
    expect(foundAt(1, flagged)).toEqual(right);
    expect(foundAt(1, unflagged)).toEqual(right);
  });

  test("may not be flagged if it is not more", () => {
    const data = changed(refundBody, "data.payment.flags", ["mismatch"]).data;
    const body = { ...refundBody, data: { ...data, flags: ["mismatch"] } };
    expect(faults([paidBody, body])).toEqual(wrongField);
  });
});
