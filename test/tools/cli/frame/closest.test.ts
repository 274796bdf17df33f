import { expect, test } from "vitest";
import { closest } from "../../../../tools/cli/frame/closest.ts";

test.each([
  ["the closest of several", "statuss", ["statusxy", "status"], "status"],
  ["a word that begins with it", "orde", ["orders-of-a-day", "keys"], "orders-of-a-day"],
  ["two letters swapped", "oredrs", ["orders"], "orders"],
  ["nothing for a short word that differs by two letters", "kez", ["keys"], undefined],
  ["nothing that differs by three letters", "attention", ["attraction"], undefined],
])("suggests %s", (_case, word, known, expected) => {
  expect(closest(word, known)).toBe(expected);
});
