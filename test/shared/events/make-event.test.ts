import { expect, test } from "vitest";
import { eventSchema } from "../../../shared/events/event.ts";
import { makeOrderEvent, makeRefundEvent } from "../../../shared/events/make-event.ts";
import { type PaymentFact, paymentFactId, refundFactId } from "../../../shared/facts/fact.ts";
import { groupOf } from "../../../shared/facts/subject.ts";
import { applyPaymentFact } from "../../../shared/orders/apply-payment-fact.ts";
import { applyRefundFact } from "../../../shared/orders/apply-refund-fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import type { Payment } from "../../../shared/orders/payment.ts";
import { anOrder, aPayment, linkedPayment, refundFact, successFact } from "../orders/facts.ts";

const provenance = {
  source: "urn:test",
  traceparent: "00-1-2-01",
  callbackId: "C-1",
  reportedAtMilliseconds: Date.UTC(2026, 10, 15, 2),
};

const orderEvent = (fact: PaymentFact = successFact(), order: Order = anOrder()) =>
  makeOrderEvent(fact, applyPaymentFact(order, fact), provenance);

const refundEvent = (payment: Payment = linkedPayment()) =>
  makeRefundEvent(refundFact(), applyRefundFact(payment, refundFact()), provenance);

const roundTrip = (value: unknown) => JSON.parse(JSON.stringify(value));

test("an order's event names its fact, its aggregate and the sequence of the snapshot it carries", () => {
  const event = orderEvent(successFact(), anOrder({ sequence: 41 }));
  expect(event).toMatchObject({
    id: paymentFactId(successFact()),
    type: "payment.order.success",
    dataschema: "urn:paycast:schema:payment-order-event:1",
    subject: "A",
    partitionkey: groupOf(anOrder()),
    sequence: "0000000042",
    origin: "callback",
    traceparent: "00-1-2-01",
    data: { callbackId: "C-1", orderNo: "A", order: { status: "success" } },
  });
  expect(eventSchema.parse(roundTrip(event))).toEqual(roundTrip(event));
});

test("the flags of an event are in the order of their list, whichever was raised first", () => {
  const applied = applyPaymentFact(anOrder(), successFact());
  const raised = { ...applied, flags: ["unknownOrder", "conflict", "late"] as const };
  const { data } = makeOrderEvent(successFact(), raised, provenance);
  expect(data.flags).toEqual(["late", "conflict", "unknownOrder"]);
});

test("a refund's event has the payment's snapshot, and no order's", () => {
  const event = refundEvent();
  expect(event).toMatchObject({
    id: refundFactId(refundFact()),
    type: "payment.refund.success",
    dataschema: "urn:paycast:schema:payment-refund-event:1",
    subject: "A",
    partitionkey: groupOf(aPayment()),
    data: {
      orderNo: "A",
      amount: { minor: "250", currency: "EUR" },
      payment: { paymentId: "P1", refunds: [{ refundId: "R1" }], refundedAmount: { minor: "250" } },
    },
  });
  expect(event.data).not.toHaveProperty("order");
  expect(eventSchema.parse(roundTrip(event))).toEqual(roundTrip(event));
});

test("a refund of a payment that is not linked has neither subject nor currency", () => {
  const event = roundTrip(refundEvent(aPayment()));
  expect(event).not.toHaveProperty("subject");
  expect(event.data.amount).toEqual({ value: "2.5" });
  expect(event.data.payment).not.toHaveProperty("refundedAmount");
});

test("its time is when it happened, else when it was reported", () => {
  const timeOf = (completedAtMilliseconds?: number) =>
    orderEvent(successFact({ completedAtMilliseconds })).time;
  expect(timeOf(Date.UTC(2026, 10, 15, 1))).toBe("2026-11-15T01:00:00.000Z");
  expect(timeOf()).toBe("2026-11-15T02:00:00.000Z");
});

test("the same parts give the same bytes", () => {
  expect(JSON.stringify(refundEvent())).toBe(JSON.stringify(refundEvent()));
});

test("a sequence of many digits still sorts as text", () => {
  const sequences = [1, 9, 10, 99_999].map((sequence) => {
    return orderEvent(successFact(), anOrder({ sequence })).sequence;
  });
  expect(sequences).toEqual([...sequences].sort());
});
