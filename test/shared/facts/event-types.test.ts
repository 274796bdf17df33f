import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isStale } from "../../../shared/consumer/is-stale.ts";
import { testEvent } from "../../../shared/consumer/test-events.ts";
import { orderEventDataSchema, orderEventSchema } from "../../../shared/events/event.ts";
import {
  type EventType,
  eventTypes,
  isEventType,
  isPaid,
  matchesPattern,
  orderEventTypeOf,
  orderEventTypes,
  paymentStatuses,
  refundEventTypeOf,
  refundEventTypes,
  refundStatuses,
  stageOf,
  statusRow,
} from "../../../shared/facts/event-types.ts";
import { factKindOf } from "../../../shared/facts/subject.ts";
import { refundSchema } from "../../../shared/orders/schemas.ts";
import { orderStatuses } from "../../../shared/storefront/order-view.ts";
import { typePromises } from "../../../tools/contract/documents/events/event-schemas.ts";

test("every event name has one status, and the statuses that are answered at once have none", () => {
  const orderTypes = paymentStatuses.map(orderEventTypeOf);
  const refundTypes = refundStatuses.map(refundEventTypeOf);
  const types = [...orderTypes, ...refundTypes].filter((type) => type !== undefined);
  expect([...types].sort()).toEqual([...eventTypes].sort());
  expect(orderEventTypeOf("pending")).toBeUndefined();
  expect(refundEventTypeOf("refunding")).toBeUndefined();
});

test("every list of statuses and event names comes from the table", () => {
  const events = [
    ...paymentStatuses.map(orderEventTypeOf),
    ...refundStatuses.map(refundEventTypeOf),
  ];
  expect(events.filter((type) => type !== undefined)).toEqual(eventTypes);
  expect(orderEventSchema.shape.type.options).toEqual(orderEventTypes);
  expect(refundSchema.shape.status.options).toEqual(refundStatuses);
  expect(orderEventDataSchema.shape.status.options).toEqual(paymentStatuses);
  expect(orderStatuses).toEqual([...paymentStatuses, "refused"]);
  expect(typePromises.map(({ type }) => type)).toEqual(eventTypes);
});

test("an event's name begins with its kind, so that a new one has the right aggregate", () => {
  for (const type of orderEventTypes) expect(factKindOf(type, {})).toBe("payment");
  for (const type of refundEventTypes) expect(factKindOf(type, {})).toBe("refund");
});

test("a status with which money moves is final, and its event is never stale", () => {
  for (const status of [...paymentStatuses, ...refundStatuses]) {
    const { stage, movesMoney, event } = statusRow(status)!;
    expect(movesMoney, status).toBe(stage === "final");
    expect(event === undefined || movesMoney, status).toBe(
      /pending|refunding|success/.test(status),
    );
  }
  const older = eventTypes.filter((type) => isStale({ ...testEvent(type), sequence: "1" }, 2));
  const moneyless = paymentStatuses.filter((status) => !isPaid(status)).map(orderEventTypeOf);
  expect(older).toEqual(moneyless.filter((type) => type !== undefined));
});

test("only a pending or confirming payment has not ended, and only a paid one cannot change", () => {
  expect(paymentStatuses.map((status) => [status, stageOf(status)])).toEqual([
    ["pending", "open"],
    ["confirming", "open"],
    ["timeout", "ended"],
    ["failed", "ended"],
    ["success", "final"],
  ]);
});

test("docs/interface.md says when each event is sent (§6)", () => {
  const [, section = ""] = readFileSync("docs/interface.md", "utf8").split("\n## §6 ");
  const [table = ""] = section.split("\n## ");
  const named = [...table.matchAll(/^\| `([a-z.]+)` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual([...eventTypes].sort());
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
  ["payment.refund.*", ["payment.refund.failed", "payment.refund.success"]],
  ["payment.order.success", ["payment.order.success"]],
  ["payment.order.succes", []],
  ["order.*", []],
])("the pattern %s means what it says", (pattern, matches) => {
  expect(eventTypes.filter((type) => matchesPattern(type, pattern))).toEqual(matches);
});
