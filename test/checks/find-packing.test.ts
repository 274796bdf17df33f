import { expect, test } from "vitest";
import { packedIn, packedLiterals } from "./find-packing.ts";

test("no file spreads a literal to save lines", () => {
  expect(packedLiterals()).toEqual([]);
});

test.each([
  ["fields of an object", "call({ ...{ a, b }, c });"],
  ["elements of a list", "const all = [...[a, b], c];"],
  ["attributes of an element", "<Field {...{ name, label }} />"],
  ["several lines", "call(...[\n  a,\n  { b: [1] },\n]);"],
])("a spread literal is named: %s", (_what, text) => {
  expect(packedIn("a.ts", `\n${text}`)).toEqual([expect.stringMatching(/^a\.ts:2 /)]);
});

test.each([
  "[...[1, 2].map(double), 3]",
  "[...[...set].filter(isGood)]",
  "function f(...[first, last]: string[]) {}",
  "({ ...rest, ...(isGood && { a }) })",
])("what has no other form may stay: %s", (text) => {
  expect(packedIn("a.ts", text)).toEqual([]);
});
