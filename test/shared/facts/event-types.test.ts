import { expect, test } from "vitest";
import {
  type EventType,
  eventTypes,
  isEventType,
  matchesPattern,
  orderEventTypeOf,
  paymentStatuses,
  refundEventTypeOf,
  refundStatuses,
} from "../../../shared/facts/event-types.ts";

test("every event name has one status, and the statuses that are answered at once have none", () => {
  const orderTypes = paymentStatuses.map(orderEventTypeOf);
  const refundTypes = refundStatuses.map(refundEventTypeOf);
  const types = [...orderTypes, ...refundTypes].filter((type) => type !== undefined);
  expect([...types].sort()).toEqual([...eventTypes].sort());
  expect(orderEventTypeOf("pending")).toBeUndefined();
  expect(refundEventTypeOf("refunding")).toBeUndefined();
});

test("a name is an event type only if it is spelled as in the interface", () => {
  expect(eventTypes.every(isEventType)).toBe(true);
  for (const name of ["", "payment.order", "Payment.Order.Success", "payment.order.success "]) {
    expect(isEventType(name), name).toBe(false);
  }
});

test.each<[pattern: string, matches: EventType[]]>([
  ["*", [...eventTypes]],
  ["payment.*", [...eventTypes]],
  ["payment.refund.*", ["payment.refund.success", "payment.refund.failed"]],
  ["payment.order.success", ["payment.order.success"]],
  ["payment.order.succes", []],
  ["order.*", []],
])("the pattern %s means what it says", (pattern, matches) => {
  expect(eventTypes.filter((type) => matchesPattern(type, pattern))).toEqual(matches);
});
