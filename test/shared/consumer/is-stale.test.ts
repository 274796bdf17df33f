import { describe, expect, test } from "vitest";
import { hasOlderSnapshot, isStale } from "../../../shared/consumer/is-stale.ts";
import { parseEvent } from "../../../shared/consumer/parse-event.ts";
import { testEvent } from "../../../shared/consumer/test-events.ts";

const order = testEvent("payment.order.timeout", { sequence: 9 });
const refund = testEvent("payment.refund.success", { sequence: 9 });
const unknown = parseEvent({ ...order, type: "payment.order.cancelled" });

describe("an event of an order", () => {
  test.each([
    [undefined, false],
    ["0000000008", false],
    ["0000000009", false],
    ["0000000010", true],
    [10, true],
    [9, false],
  ])("after sequence %s: stale is %s", (last, stale) => {
    expect(isStale(order, last)).toBe(stale);
  });
});

test("a success is never stale: the timeout that was handled before it does not say that money came in", () => {
  const success = testEvent("payment.order.success", { sequence: 1 });
  const timeout = testEvent("payment.order.timeout", { sequence: 2, flags: ["regressed"] });
  expect(timeout.partitionkey).toBe(success.partitionkey);
  expect(isStale(success, timeout.sequence)).toBe(false);
  expect(hasOlderSnapshot(success, timeout.sequence)).toBe(true);
});

test("a refund's event is never stale: each is a movement of money of its own", () => {
  expect(isStale(refund, 1_000)).toBe(false);
});

test("the payment's snapshot in a refund's event can still be the older one", () => {
  expect(hasOlderSnapshot(refund, 10)).toBe(true);
  expect(hasOlderSnapshot(refund, 9)).toBe(false);
});

test("an event of unknown type is never stale", () => {
  expect(unknown.type).toBe("unknown");
  expect(isStale(unknown, 1_000)).toBe(false);
});

test.each(["", "x", -1, 1.5, Number.NaN])(
  "a last sequence of %s is an error, not an answer",
  (last) => {
    expect(() => isStale(order, last)).toThrow(
      expect.objectContaining({ code: "sequence-malformed" }),
    );
  },
);
