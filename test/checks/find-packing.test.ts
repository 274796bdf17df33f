import { expect, test } from "vitest";
import { namelessIn, packedPlaces, spreadLiterals, vagueIn } from "./find-packing.ts";

test("no file spreads a literal to save lines, or has names that say nothing", () => {
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

test.each([
  "queues.map((one) => one.name);",
  "values.reduce((sum, one) => sum + one, 0);",
  "const told = lines.join();",
  "for (const one of queues) open(one);",
  "const { status, told } = answer;",
  "const { status, ...told } = answer;",
  "const [one, two] = queues;",
  "pairs.map(([, one]) => one);",
  "function isSame(one: Item, other: Item) {}",
  "function told(order: Order) {}",
  "interface Told {\n}",
  "let desk = open();",
  "run(async (\n  one: string,\n) => 1);",
])("a name that does not say what it holds is named: %s", (text) => {
  expect(vagueIn("a.ts", text)).toEqual([expect.stringMatching(/^a\.ts:1 has the name \w+\./)]);
});

test.each([
  'test("one is told", () => {});',
  "// a list of one, or of what was told",
  "const subscribers = { one: single };",
  "queues.map((queue) => queue.one);",
])("the same word elsewhere may stay: %s", (text) => {
  expect(vagueIn("a.ts", text)).toEqual([]);
});
