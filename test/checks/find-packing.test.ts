import { expect, test } from "vitest";
import { namelessIn, packedPlaces, spreadLiterals } from "./find-packing.ts";

test("no file spreads a literal to save lines, or has names of underscores", () => {
  expect(packedPlaces()).toEqual([]);
});

test.each([
  ["fields of an object", "call({ ...{ a, b }, c });"],
  ["elements of a list", "const all = [...[a, b], c];"],
  ["attributes of an element", "<Field {...{ name, label }} />"],
  ["the names of a rest parameter", "function f(...[first, last]: string[]) {}"],
  ["several lines", "call(...[\n  a,\n  { b: [1] },\n]);"],
])("a spread literal is named: %s", (_what, text) => {
  expect(spreadLiterals("a.ts", `\n${text}`)).toEqual([expect.stringMatching(/^a\.ts:2 /)]);
});

test.each([
  "[...[1, 2].map(double), 3]",
  "[...[...set].filter(isGood)]",
  "({ ...rest, ...(isGood && { a }) })",
])("what has no other form may stay: %s", (text) => {
  expect(spreadLiterals("a.ts", text)).toEqual([]);
});

test.each([
  "Array.from({ length }, (_, index) => index);",
  "onEach(async (event, __) => {});",
  "const { sign: _, ...rest } = envelope;",
  "const { sign: ___ } = envelope;",
  "for (const _ of turns) run();",
  "run((\n  _: string,\n) => 1);",
])("a name of underscores is named: %s", (text) => {
  expect(namelessIn("a.ts", text)).toEqual([expect.stringMatching(/^a\.ts:\d has the name _+\./)]);
});

test.each(["(_event, index) => index", 'status.replace("_", " ")', "1_000", "/^[a-z_]+$/"])(
  "other underscores may stay: %s",
  (text) => {
    expect(namelessIn("a.ts", text)).toEqual([]);
  },
);
