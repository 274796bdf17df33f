import { expect, test } from "vitest";
import { shellWord } from "../../../../shared/text/shell-word.ts";
import type { Stack } from "../../../../tools/operations/ports/stack.ts";
import {
  commandOf,
  replayInput,
  selectionFault,
} from "../../../../tools/operations/replay/selection.ts";

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

test("a command to paste runs nothing of an order number, and has its times in quotes", () => {
  const orderNo = "x 2026-01-01T00:00:00Z'; touch pasted #\u200b";
  const range = { since: "2026-11-15T10:00:00Z", until: "2026-11-15T11:00:00Z" };
  const selection = { orderNo, types: [], withRefunds: true, ...range };
  const target = { kind: "local", name: "local" } as Stack;
  const line = commandOf(target, "books", selection, 10);
  expect(line).toContain(`--order ${shellWord(orderNo)} `);
  expect(line).toContain(` --since '${range.since}' --until '${range.until}' --yes`);
});
