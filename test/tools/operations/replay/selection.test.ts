import { expect, test } from "vitest";
import { replayInput, selectionFault } from "../../../../tools/operations/replay/selection.ts";

const faultOf = (given: object) => selectionFault(replayInput.parse({ to: "books", ...given }));

test("a selection must name some events", () => {
  expect(faultOf({})).toMatch(/^must say which events/);
  expect(faultOf({ withoutRefunds: true })).toMatch(/^must say which events/);
});

test.each([
  { order: "ORDER-1" },
  { payment: "P1" },
  { merchant: "shop-1" },
  { since: "2026-11-15T10:00:00Z" },
  { until: "2026-11-15T10:00:00Z" },
  { type: ["payment.order.*"] },
  { all: true },
  { event: ["E1"], order: "ORDER-1" },
])("%j names some", (given) => {
  expect(faultOf(given)).toBeUndefined();
});

test("an event's id does not say where to look for it", () => {
  expect(faultOf({ event: ["E1"] })).toMatch(/^must say where to look for an event/);
});
