import { expect, test } from "vitest";
import { eventSchema } from "../../../shared/events/event.ts";
import { makeEvent } from "../../../shared/events/make-event.ts";
import type { CallbackMessage } from "../../../shared/inbox/inbox-message.ts";
import { applyFact } from "../../../shared/orders/apply-fact.ts";
import type { Fact } from "../../../shared/orders/fact.ts";
import { factIdOf } from "../../../shared/orders/fact.ts";
import type { Order } from "../../../shared/orders/order.ts";
import { emptyOrder, merchantId, paymentFact, refundFact } from "../orders/facts.ts";

const message: CallbackMessage = {
  version: 1,
  origin: "callback",
  merchantId,
  merchantIsSigned: true,
  callbackId: "c1",
  plaintext: "{}",
  deduplication: { key: "c1", replayable: false },
  receivedAtMilliseconds: Date.UTC(2026, 10, 15, 3),
  sentAtMilliseconds: Date.UTC(2026, 10, 15, 2),
  traceparent: "00-1-2-01",
  verifiedBy: { versionId: "v", stage: "current" },
};

function eventOf(fact: Fact, order: Order = emptyOrder(), over: Partial<CallbackMessage> = {}) {
  return makeEvent({
    source: "urn:test",
    type: fact.kind === "payment" ? "payment.order.success" : "payment.refund.success",
    message: { ...message, ...over },
    fact,
    applied: applyFact(order, fact)!,
  });
}

test("an event names its fact, its order and the version of the snapshot that it carries", () => {
  const event = eventOf(paymentFact(), emptyOrder({ version: 41 }));
  expect(event).toMatchObject({
    id: factIdOf(paymentFact()),
    subject: "A",
    sequence: "0000000042",
    origin: "callback",
    traceparent: "00-1-2-01",
    data: { callbackId: "c1", orderNo: "A", order: { status: "success" } },
  });
  expect(eventSchema.parse(JSON.parse(JSON.stringify(event)))).toBeDefined();
});

test("its time is when it happened, else when it was told, else when it was heard", () => {
  const timeOf = (completedAtMilliseconds?: number, over: Partial<CallbackMessage> = {}) =>
    eventOf(paymentFact({ completedAtMilliseconds }), emptyOrder(), over).time;
  expect(timeOf(Date.UTC(2026, 10, 15, 1))).toBe("2026-11-15T01:00:00.000Z");
  expect(timeOf()).toBe("2026-11-15T02:00:00.000Z");
  const { sentAtMilliseconds: _, ...unsigned } = message;
  const applied = applyFact(emptyOrder(), paymentFact({ completedAtMilliseconds: undefined }))!;
  const fact = paymentFact({ completedAtMilliseconds: undefined });
  const parts = { source: "urn:test", type: "payment.order.success", fact, applied } as const;
  expect(makeEvent({ ...parts, message: unsigned }).time).toBe("2026-11-15T03:00:00.000Z");
});

test("the same parts give the same bytes", () => {
  expect(JSON.stringify(eventOf(refundFact()))).toBe(JSON.stringify(eventOf(refundFact())));
});

test("a sequence of many digits still sorts as text", () => {
  const sequences = [1, 9, 10, 99_999].map((version) => {
    return eventOf(paymentFact(), emptyOrder({ version })).sequence;
  });
  expect(sequences).toEqual([...sequences].sort());
});

test("a refund of an unknown payment has no subject", () => {
  const { orderNo: _, ...unknown } = emptyOrder();
  expect(JSON.parse(JSON.stringify(eventOf(refundFact(), unknown)))).not.toHaveProperty("subject");
});
