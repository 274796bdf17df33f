import { describe, expect, test } from "vitest";
import { testEvent } from "../../../shared/consumer/test-events.ts";
import { eventTypes } from "../../../shared/facts/event-types.ts";
import { eventExamples } from "../../../tools/contract/documents/events/event-examples.ts";
import { faultsOfEvent } from "../../builders/event-validator.ts";

describe.each(eventTypes)("a test event of type %s", (type) => {
  test("is valid, also with changes", () => {
    const amount = { value: "500", minor: "500", currency: "JPY" };
    const changes = { amount, origin: "query", reason: "declined", flags: ["late"] } as const;
    for (const event of [testEvent(type), testEvent(type, changes)]) {
      expect(faultsOfEvent(JSON.stringify(event))).toEqual([]);
      expect(event.type).toBe(type);
    }
  });

  test("is the same for the same arguments, and another for another order", () => {
    expect(testEvent(type)).toEqual(testEvent(type));
    const other = testEvent(type, { orderNo: "ORDER-2", paymentId: "P-2" });
    expect(other.id).not.toBe(testEvent(type).id);
    expect(other.partitionkey).not.toBe(testEvent(type).partitionkey);
    expect(other.subject).toBe("ORDER-2");
  });

  test("has every field that an event of Paycast always has", () => {
    const real = eventExamples()[type];
    const made = testEvent(type);
    expect(Object.keys(made).sort()).toEqual(Object.keys(real).sort());
    expect(made.id).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("a test that changes its event changes no event that is made later", () => {
  const made = testEvent("payment.order.success");
  Object.assign(made.data.amount, { minor: "9" });
  Object.assign(made.data.flags, ["mismatch"]);
  const { data } = testEvent("payment.order.success");
  expect(data).toMatchObject({ amount: { minor: "1230" }, flags: [] });
});

test("events of one order share the partition key, and each fact has its own id", () => {
  const confirming = testEvent("payment.order.confirming");
  const success = testEvent("payment.order.success", { sequence: 2 });
  expect(success.partitionkey).toBe(confirming.partitionkey);
  expect(success.id).not.toBe(confirming.id);
  expect(success.sequence).toBe("0000000002");
});

test("a failed refund has refunded nothing, with the decimals of the currency", () => {
  const { data } = testEvent("payment.refund.failed");
  expect(data.payment.refundedAmount).toEqual({ value: "0.00", minor: "0", currency: "USD" });
});
